# %% [markdown]
# # Numbers and categories in one table
# Cars of the 1970s: numbers, and where they come from. Text, yes/no and few-valued columns are variables
# like others.

# %%
import dagscale

cars = dagscale.datasets.load("auto-mpg")
cars.table.head()

# %%
kinds = {"origin": "categorical"}  # America, Europe, Japan, written as 1, 2, 3
result = dagscale.discover(cars.table, kinds=kinds)
result.kinds

# %% [markdown]
# What is known goes in first: a car's origin and year come before its engine, and the engine before its
# mileage.

# %%
informed = dagscale.discover(cars.table, kinds=kinds, knowledge=cars.knowledge)
informed

# %% [markdown]
# Which question would settle most of the directions left open?

# %%
informed.ask().head()

# %% [markdown]
# What the knowledge changed.

# %%
print(informed.compare(result, "without knowledge"))
