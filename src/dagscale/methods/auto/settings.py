"""Every decision of `auto` that is a number, in one place: unit, meaning, and the command that shows why.

The commands are scripts in `benchmarks/`, run on tuning seeds; "suite violations" is
`dagscale benchmark run violations`. Numerical tolerances, batch sizes and limits
of memory stay where they are used: they do not decide what the graph is.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class LikelihoodSettings:
    """What the search by one objective decides by; comments as in `AutoSettings`."""

    # nats: c of S(G), what an edge must earn besides its share of log C(pairs, edges): false edges cost trust
    # (suite violations)
    caution: float = 1.5
    # share of S(G): a spread that follows the parents must beat a constant one by so much; on LiNGAM tables it
    # seems worth 0.2%, where spread does depend on the parents 30% and more (suite violations)
    uneven: float = 0.05
    # share of S(G): interactions are searched for, and curves are finer, where that tells so much more than
    # additive curves ... (suites violations, mechanisms)
    interacting: float = 0.01
    # nats a row: ... or so much, if that is less: strong straight lines make the share too large (refinement.py)
    interacting_rows: float = 0.02
    # share of S(G): another scale than the data's must beat it by so much, and lines times noise what was found
    # (suite violations)
    rescaled: float = 0.01
    # nats: a column must gain so much by another scale than the table's (suite violations)
    column_rescaled: float = 10.0
    # nats: an edge whose reversal costs less may point either way; the evidence of a density from 1000 rows
    # errs by 3 to 8 (suite violations)
    either_way: float = 10.0
    # share of the variance: a child of which its parents leave less is a formula or a copy (suite measured)
    noiseless: float = 1e-4
    # rounding variances: so is a child of which they leave less than so many (suite measured)
    cells: float = 4.0
    # effect size: where the noise of a child depends so much on a parent, the model does not hold, and no
    # direction is claimed ... (suite measured)
    dependent: float = 0.15
    # probability: ... unless chance explains it with more than this (suite measured)
    chance: float = 0.001
    # share of the rows: where a child and its parents have fewer distinct rows (a design, families, heavy
    # rounding), no direction is claimed (suite measured)
    distinct: float = 0.25
    # nats: a hidden cause must explain a link by so much better than an arrow, at least (hidden_causes.py)
    hidden: float = 2.0
    # nats: hidden levels must explain the links of a table by so much better than arrows (hidden_levels.py)
    levels: float = 20.0
    # share: ... and more than so much of the links; straight lines must tell so much of what links tell (the same)
    explained: float = 0.5
    # columns: up to so many, sets of parents that do nothing alone are looked for in any table (suite violations)
    every_set: int = 12
    # columns: up to so many an order search by straight lines gives a second start; it costs like d³ (scale.py)
    ordered: int = 60
    # share of S(G): scales that have so much of the best one's score are searched on, too; those that have less
    # get a greedy graph alone (suite violations)
    near: float = 0.9
    # parents: of a node, at most (suite violations)
    max_parents: int = 20
    # nats a row: that a change of mechanism must earn where nobody said so, beside its parameters: a model is
    # never quite right, and many rows show it (suite interventions)
    slight: float = 0.05
    # nats a row: the same where an experiment has a label that does not name the column: measured experiments
    # touch much besides their target, and dropping rows for that loses more than it mends (interventions.py)
    off_target: float = 0.3
    # rows: of the search; more are drawn from at random, once (scale.py)
    rows: int = 2000
    # p-value: of a pair of columns in the screen of wide tables (scale.py thousand)
    screened: float = 0.1
    # columns: that this screen names for each column, at most (the same)
    partners: int = 8
    # times: that columns which act through a node's parents are looked for (the same)
    offers: int = 3


@dataclass(frozen=True)
class AutoSettings:
    """The decision constants; each comment gives the unit, the meaning, and in brackets the command."""

    likelihood: LikelihoodSettings = LikelihoodSettings()
    # columns: up to so many the search by one objective comes first; it looks at every pair (scale.py)
    narrow_table: int = 60
    # columns: up to so many probabilities and directions are read off; it looks at every pair (scale.py)
    judged: int = 2000
    # changes a column: that go on from the first search's likelihood to the evidence of processes (refinement.py)
    raced: int = 3
    # nats: a change that loses more by that likelihood does not go on (the same)
    hopeless: float = 10.0

    # nats a row: by which the density of the noise beats the normal one, from which on its shape counts to processes
    # (ablation.py --variants 'noise taken for normal')
    shaped: float = 0.005
    # functions: of a column in a product (ablation.py --variants 'no columns that act through a parent')
    interaction_waves: int = 3
    # functions: of a parent that are taken off before a product is tested (the same)
    interaction_high: int = 12
    # parents: that a node may get by interactions (the same)
    interaction_parents: int = 8
    # rows: for each function taken off (calibration.py)
    interaction_fewest: int = 5

    # The refinement by processes
    # edges a node: from which on a graph is dense: its edges hide each other (ablation.py --variants
    # 'no aligned sets')
    dense: float = 1.2
    # log length scale: spread from which on the length scales of a table are not alike (ablation.py
    # --variants 'length scales not learnt')
    alike: float = 1.0
    # nats: c of S(G): processes say less of parents that are none than curves do, and dense graphs need them
    # (limit.py)
    caution: float = 0.5
    # columns: whose addition to an aligned set is tried (ablation.py --variants 'no aligned sets')
    added: int = 8
    # sets: that are improved when a node is asked again (the same)
    starts: int = 3


SETTINGS = AutoSettings()
