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
table = made.table.assign(done=made.targets)
result = dagscale.discover(table, interventions="done")
print(result.compare(made, "truth"))

# %%
result

# %% [markdown]
# Why does an arrow point where it points? The experiment that speaks for it is named.

# %%
source, target = result.edges.iloc[0][["source", "target"]]
result.why(source, target)

# %% [markdown]
# ## Proteins under reagents
# Sachs et al. (2005) measured eleven proteins in single cells, most of them under one of five reagents. A
# column says which protein a reagent acts on. The quick effort is enough to see how it works.

# %%
data = dagscale.datasets.load("sachs-experiments")
proteins = dagscale.discover(data.table, interventions=data.interventions, effort="quick")
proteins

# %% [markdown]
# What does PKA do to Akt? Cells in which Akt itself was set say nothing about that, and are left out.

# %%
proteins.effect("PKA", "Akt")
