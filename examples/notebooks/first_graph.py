# %% [markdown]
# # A first graph
# A simulated farm, so that the truth is known: eight columns in everyday units. Steep fields are dry, and
# the farmer gives them more fertiliser.

# %%
import dagscale

farm = dagscale.datasets.load("farm")
farm.table.head()

# %%
result = dagscale.discover(farm.table)
result

# %% [markdown]
# Which arrows can be trusted? `probability` and `direction` say how sure each is, `--` marks directions
# that the data leave open, and the checks say where an assumption fails.

# %%
result.edges.round(3)

# %%
result.diagnostics

# %% [markdown]
# Why is there no arrow from fertiliser to harvest?

# %%
result.why("fertiliser", "harvest")

# %% [markdown]
# Fertiliser still acts on the harvest, through nitrogen and height. A plain regression has the wrong sign;
# the graph says what to hold fixed.

# %%
result.effect("fertiliser", "harvest")

# %% [markdown]
# Against the truth, and as a figure.

# %%
result.compare(farm, "truth")

# %%
result.plot()
# %% [markdown]
# The whole report, inside the notebook: click an edge.

# %%
result.show()
