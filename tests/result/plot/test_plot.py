"""The figure: certainty drawn as on the page, arrows that end at their nodes, sizes of a paper."""

from dataclasses import replace

import numpy as np
import pytest

from dagscale.graphs.layout import place
from dagscale.result.plot.legend import entries
from dagscale.result.plot.lines import GAP, line_of
from dagscale.result.plot.links import Link, links_of
from dagscale.runtime.errors import InputError

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def result():
    import dagscale

    table = np.random.default_rng(1000).normal(size=(300, 5))
    table[:, 1] += table[:, 0] ** 2
    table[:, 2] += 2 * table[:, 1]
    table[:, 3] -= 2 * np.tanh(table[:, 2])
    known = dagscale.Knowledge(tiers=[[k] for k in range(5)])
    found = dagscale.discover(table, method="cam", knowledge=known)
    sure, open_, hidden = np.zeros((5, 5)), np.zeros((5, 5), dtype=bool), np.zeros((5, 5), dtype=bool)
    sure[found.adjacency] = 0.9
    sure[0, 1], sure[1, 0], open_[0, 1], open_[1, 0] = 0.3, 0.3, True, True
    hidden[3, 4] = hidden[4, 3] = hidden[1, 2] = hidden[2, 1] = True
    return replace(found, probabilities=sure, either_way=open_, confounded=hidden)


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")


def test_links_are_drawn_by_how_sure_they_are(result):
    links = {(link.source, link.target, link.heads == 2): link for link in links_of(result)}
    opened, claimed = links[0, 1, False], links[1, 2, False]
    assert (opened.heads, claimed.heads) == (0, 1)
    assert opened.opacity < claimed.opacity < 1
    assert opened.meaning == "non-monotone or unclear"  # a parabola
    assert claimed.meaning == "raises"
    assert links[2, 3, False].meaning == "lowers"
    assert links[3, 4, True].style == "dashed"
    assert links[1, 2, True].aside
    assert not links[3, 4, True].aside
    told = [text for _, text in entries(list(links.values()))]
    assert told[:3] == ["cause to effect", "direction open", "hidden common cause"]
    assert told[-1] == "paler: less probable"


@pytest.mark.parametrize("seed", [1000, 1001])
def test_no_head_lies_under_its_node(seed):
    rng = np.random.default_rng(seed)
    adjacency = np.triu(rng.random((12, 12)) < 0.4, 1)
    widths = rng.uniform(30, 180, size=12)
    layout = place(adjacency, widths)
    for i, j in np.argwhere(adjacency).tolist():
        line = line_of(Link(i, j, 1, "k", 3.0), layout, widths, 30.0)
        (head,) = line.heads
        _stands_outside(head, layout.xy[j], widths[j])
        ends = np.abs(line.points[0] - layout.xy[i]) - np.array([widths[i] / 2, 15.0])
        assert ends.max() == pytest.approx(GAP)
        for head, k in zip(  # a hidden cause beside it, which leaves its nodes off their middle
            line_of(Link(i, j, 2, "k", 2.2, aside=True), layout, widths, 30.0).heads, (j, i), strict=True
        ):
            _stands_outside(head, layout.xy[k], widths[k])


def _stands_outside(head, centre, width):
    """Every corner of the head is outside the node's box, and the tip stands at its border."""
    away = np.abs(head - centre) - np.array([width / 2, 15.0])
    assert (away.max(axis=1) >= -1e-9).all()
    assert away[0].max() == pytest.approx(GAP)


@pytest.mark.parametrize(("size", "width"), [("one-column", 3.5), ("two-column", 7.2), ((4.0, 3.0), 4.0)])
def test_sizes_of_a_paper_in_every_format(result, size, width, tmp_path):
    axes = result.plot(size=size)
    assert axes.figure.get_figwidth() == pytest.approx(width)
    assert len(axes.texts) == 5
    assert axes.get_legend() is not None
    for kind, start in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        axes.figure.savefig(tmp_path / f"graph.{kind}")
        assert (tmp_path / f"graph.{kind}").read_bytes().startswith(start)


def test_labels_fit_their_boxes_and_the_legend_the_figure(result):
    axes = result.plot(size="one-column")
    figure = axes.figure
    figure.canvas.draw()
    boxes = [patch.get_window_extent() for patch in axes.patches if type(patch).__name__ == "FancyBboxPatch"]
    for text, box in zip(axes.texts, boxes, strict=True):
        assert text.get_window_extent().width < box.width
    legend = axes.get_legend().get_window_extent()
    assert legend.x0 >= 0
    assert legend.x1 <= figure.bbox.width
    assert legend.y0 >= -1


def test_the_legend_can_be_left_out_and_axes_given(result):
    own = pyplot.subplots()[1]
    assert result.plot(own, legend=False) is own
    assert own.get_legend() is None
    with pytest.raises(InputError, match=r"size is one of 'one-column', 'two-column' or \(width, height\)"):
        result.plot(size="poster")


def test_a_graph_without_edges_is_drawn(result):
    empty = replace(
        result,
        adjacency=np.zeros_like(result.adjacency),
        edge_table=result.edge_table.head(0),
        either_way=np.zeros_like(result.either_way),
        confounded=np.zeros_like(result.confounded),
    )
    assert len(empty.plot().texts) == 5


def test_hidden_causes_that_are_too_many_to_draw_are_told(result, monkeypatch):
    many = replace(result, confounded=~np.eye(5, dtype=bool))
    said = "not drawn: 10 pairs that seem to share a hidden cause"
    assert said not in [text.get_text() for text in many.plot().texts]  # two a column can be drawn
    monkeypatch.setattr("dagscale.result.certainty.CROWDED", 1)
    assert [link for link in links_of(many) if link.heads == 2] == []
    assert said in [text.get_text() for text in many.plot().texts]
