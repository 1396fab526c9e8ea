# %% [markdown]
# # Rows under intervention
# In some rows a column was set from outside: a gene was knocked out, a valve was opened. Such rows say
# nothing about what causes that column, and a lot about what it causes. Here effects are linear and the
# noise is Gaussian, so that plain observations cannot tell directions at all.

# %%
import dagscale

made = dagscale.simulate(nodes=6, samples=600, mechanism="linear", interventions=60, random_state=1000)
made.table.head()

# %% [markdown]
# The observed rows alone.

# %%
observed = made.table[~made.interventions.any(axis=1)]
plain = dagscale.discover(observed)
print(plain.compare(made, "truth"))

# %% [markdown]
# A column that names what was set in each row; it is not a variable itself.

# %%
names = [
    ", ".join(name for name, own in zip(made.names, row, strict=True) if own) for row in made.interventions
]
table = made.table.assign(done=names)
result = dagscale.discover(table, interventions="done")
print(result.compare(made, "truth"))

# %%
result
