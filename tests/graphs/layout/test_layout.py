"""Positions: edges point down, nothing overlaps, the same graph gets the same picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.graphs.layout import LAYERED_UP_TO, NODE_HEIGHT, _packed, place
from dagscale.graphs.layout.force import force_positions
from dagscale.graphs.layout.layered import layered_positions


def random_dag(seed, d, degree):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((d, d)) < degree / d, 1)
    shuffled = rng.permutation(d)
    return upper[np.ix_(shuffled, shuffled)]


GRAPHS = st.builds(random_dag, st.integers(1000, 2000), st.integers(1, 30), st.sampled_from([0.5, 2.0, 6.0]))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(GRAPHS)
def test_edges_point_down_and_labels_do_not_overlap(adjacency):
    widths = np.random.default_rng(0).uniform(30, 180, size=len(adjacency))
    layout = place(adjacency, widths)
    parents, children = np.nonzero(adjacency)
    assert (layout.xy[parents, 1] < layout.xy[children, 1]).all()
    across = np.abs(layout.xy[:, None, 0] - layout.xy[:, 0])
    down = np.abs(layout.xy[:, None, 1] - layout.xy[:, 1])
    overlap = (across < (widths[:, None] + widths) / 2 - 1e-6) & (down < NODE_HEIGHT - 1e-6)
    np.fill_diagonal(overlap, False)
    assert not overlap.any()


@settings(deadline=None, max_examples=30, derandomize=True)
@given(GRAPHS)
def test_routes_lead_down_from_parent_to_child(adjacency):
    layout = place(adjacency, np.full(len(adjacency), 60.0))
    for (i, j), bends in layout.routes.items():
        assert adjacency[i, j]
        heights = [layout.xy[i, 1], *(y for _, y in bends), layout.xy[j, 1]]
        assert (np.diff(heights) > 0).all()


def test_a_route_goes_around_the_node_between():
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = adjacency[0, 2] = True
    layout = place(adjacency, np.full(3, 80.0))
    for x, y in layout.routes[0, 2]:
        assert abs(y - layout.xy[1, 1]) <= NODE_HEIGHT / 2
        assert abs(x - layout.xy[1, 0]) > 40


@settings(deadline=None, max_examples=40, derandomize=True)
@given(GRAPHS)
def test_routes_cut_no_corner_of_the_nodes_between(adjacency):
    widths = np.random.default_rng(0).uniform(30, 180, size=len(adjacency))
    layout = place(adjacency, widths)
    for (i, j), bends in layout.routes.items():
        points = np.array([layout.xy[i], *bends, layout.xy[j]])
        for k, (x, y) in enumerate(layout.xy):
            if layout.xy[i, 1] < y < layout.xy[j, 1]:
                passed = np.interp([y - NODE_HEIGHT / 2, y, y + NODE_HEIGHT / 2], points[:, 1], points[:, 0])
                assert (np.abs(passed - x) >= widths[k] / 2).all()


def test_crossings_that_can_be_avoided_are():
    # Two chains side by side, their columns crossed in the table.
    adjacency = np.zeros((6, 6), dtype=bool)
    for i, j in [(0, 3), (3, 4), (1, 2), (2, 5), (0, 5)]:
        adjacency[i, j] = True
    xy, _ = layered_positions(adjacency, np.full(6, 50.0))
    assert (xy[0, 0] - xy[1, 0]) * (xy[3, 0] - xy[2, 0]) > 0


@pytest.mark.parametrize("d", [1, 2, 150])
def test_large_components_are_spread_out(d):
    adjacency = np.eye(d, k=1, dtype=bool)
    xy = force_positions(adjacency) if d > LAYERED_UP_TO else place(adjacency, np.full(d, 40.0)).xy
    assert np.isfinite(xy).all()
    apart = np.linalg.norm(xy[:, None] - xy, axis=2) + 1e9 * np.eye(d)
    assert apart.min() > 15
    assert len(xy) == d


def test_linked_nodes_are_nearer_than_others_in_a_large_graph():
    adjacency = random_dag(1000, 400, 2.0)
    xy = place(adjacency, np.full(400, 40.0)).xy
    apart = np.linalg.norm(xy[:, None] - xy, axis=2)
    assert np.median(apart[adjacency]) < 0.4 * np.median(apart)


def test_the_picture_is_not_a_ribbon_and_the_same_every_time():
    adjacency = random_dag(1001, 300, 2.0)
    widths = np.full(300, 70.0)
    xy = place(adjacency, widths).xy
    assert (place(adjacency, widths).xy == xy).all()
    across, down = np.ptp(xy, axis=0)
    assert 0.4 < across / down < 3


def test_small_components_fill_the_room_beside_a_large_one():
    # a chain of eight layers and eight pairs: below each other they would show everything small
    adjacency = np.zeros((24, 24), dtype=bool)
    adjacency[np.arange(7), np.arange(1, 8)] = True
    adjacency[np.arange(8, 24, 2), np.arange(9, 24, 2)] = True
    xy = place(adjacency, np.full(24, 60.0)).xy
    assert xy[8:, 1].max() <= xy[:8, 1].max() + 1
    across, down = np.ptp(xy, axis=0)
    assert across / down < 1.5


def test_packed_boxes_do_not_overlap_and_lie_on_something():
    sizes = np.random.default_rng(1000).uniform(5, 60, (80, 2))
    corners = _packed(sizes, 250.0)
    low, high = corners, corners + sizes
    meet = (low[:, None] < high - 1e-6).all(axis=2) & (low < high[:, None] - 1e-6).all(axis=2)
    assert (meet == np.eye(80, dtype=bool)).all()
    assert high[:, 0].max() <= 250
    held = (np.abs(high[:, 1] - low[:, None, 1]) < 1e-6).any(axis=1) | (low[:, 1] == 0)
    assert held.all()


def test_routes_stay_off_the_nodes_of_other_components():
    adjacency = np.zeros((9, 9), dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0, 3), (1, 4), (0, 2), (5, 6), (6, 7), (7, 8)]:
        adjacency[i, j] = True  # a chain with long edges beside it, then a chain alone
    widths = np.full(9, 80.0)
    layout = place(adjacency, widths, 3.0)
    bends = np.array([bend for ends, route in layout.routes.items() if max(ends) < 5 for bend in route])
    away = np.abs(bends[:, None] - layout.xy[5:]) - np.array([40.0, 15.0])
    assert (away.max(axis=2) > 0).all()


@pytest.mark.parametrize("seed", range(1000, 1006))
def test_letters_of_sixty_columns_are_large_enough_to_read(seed, monkeypatch):
    """A window of 960 by 660 pixels, letters of 14.5 pixels; narrower layers are taken where they help."""
    adjacency, widths, half = random_dag(seed, 60, 3.4), np.full(60, 110.0), np.array([55, 17])

    def letters():
        drawn = place(adjacency, widths)
        bends = [np.array(route) for route in drawn.routes.values()]
        covered = np.ptp(np.vstack([drawn.xy - half, drawn.xy + half, *bends]), axis=0)
        return 14.5 * (np.array([960, 660]) / covered).min()

    chosen = letters()
    assert chosen > 8.0
    monkeypatch.setattr("dagscale.graphs.layout.layered.WIDTHS", (1.2,))
    assert chosen >= 0.98 * letters()
