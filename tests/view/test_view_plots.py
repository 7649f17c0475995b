"""Pictures with scales: the path over λ1, edges against the cut; and the matrices of shares."""

from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg

from chronodag import view
from chronodag.errors import GraphError
from chronodag.evidence.belief import best_cut
from chronodag.graph import TemporalGraph
from chronodag.learn import Bootstrap, L1Path
from chronodag.view import plots
from chronodag.view.cuts import steps


def random_graph(d=4, lags=2, seed=0, sure=False, names=None):
    rng = np.random.default_rng(seed)
    strengths = rng.gamma(0.5, 0.5, size=(lags + 1, d, d)) * (rng.random((lags + 1, d, d)) < 0.8)
    strengths[0] = np.triu(strengths[0], 1)
    names = names or tuple(f"X{one + 1}" for one in range(d))
    confidence = strengths / (1 + strengths) if sure else None
    cut = 0.3 if sure else 0.4
    ranking = confidence if sure else strengths
    return TemporalGraph(names, ranking >= cut, strengths, (), confidence)


def random_path(d=4, lags=2, points=5, names=None, chosen=0.01):
    graph = random_graph(d, lags, names=names)
    l1s = np.geomspace(0.1, 0.001, points)
    strengths = graph.strengths * np.linspace(0.2, 1, points)[:, None, None, None]
    return L1Path(
        names=graph.names,
        l1s=l1s,
        strengths=strengths,
        objectives=np.ones(points),
        edges=(strengths >= 0.3).sum(axis=(1, 2, 3)),
        converged=np.ones(points, bool),
        threshold=np.full(lags + 1, 0.3),
        chosen=chosen,
    )


def random_bootstrap(d=4, lags=2, names=None):
    graph = random_graph(d, lags, names=names, sure=True)
    cells = graph.confidence
    return Bootstrap(
        names=graph.names,
        presence=cells,
        direction=np.full((d, d), np.nan),
        strength_mean=cells,
        strength_low=cells,
        strength_high=cells,
        candidates=cells > 0,
        cut=np.full(lags + 1, 0.3),
        replicates=10,
        failed=0,
        resample="half",
        block=5,
        level=0.9,
        message="10 replicates",
    )


def cuts(graph=None, **options):
    return view.edges_against_threshold(graph or random_graph(sure=True), **options)


LONG = ("time_remaining", "score", "a rather long name of a sensor", "x")
PICTURES = {
    "path": lambda names, title: view.l1_path(random_path(names=names), title=title),
    "path of many": lambda names, title: view.l1_path(random_path(12, 7), title=title),
    "cut on strengths": lambda names, title: cuts(random_graph(names=names), title=title),
    "cut on confidences": lambda names, title: cuts(title=title),
    "cut at many lags": lambda names, title: cuts(random_graph(3, 9), title=title),
    "presence": lambda names, title: view.confidences(random_bootstrap(names=names), title=title),
    "confidence": lambda names, title: view.confidences(
        random_graph(names=names, sure=True), title=title
    ),
}


def boxes(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    hidden = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    texts = [
        text
        for text in figure.findobj(matplotlib.text.Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]
    # of an annotation the box of the text alone, without the line that leads to it
    found = [(t.get_text(), matplotlib.text.Text.get_window_extent(t, renderer)) for t in texts]
    return [(text, box) for text, box in found if box.width > 0]


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("names", [None, LONG])
def test_no_text_is_clipped_and_none_overlaps(picture, names):
    figure = PICTURES[picture](names, "The rivers of the north")
    width, height = figure.bbox.size
    found = boxes(figure)
    for index, (text, box) in enumerate(found):
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= width, text
        assert box.y1 <= height, text
        for other, second in found[:index]:
            assert not box.padded(-1.5).overlaps(second.padded(-1.5)), (text, other)


@pytest.mark.parametrize("picture", PICTURES)
def test_the_same_picture_gives_the_same_bytes(picture, tmp_path):
    names = ("a$b$", "x_1^2", "é & <b>", "d")
    one, two = (
        view.save(PICTURES[picture](names, "$5"), tmp_path / f"{place}.svg") for place in "ab"
    )
    assert one.read_bytes() == two.read_bytes()


# --- the path


def coloured(figure):
    """How many lines are not grey, the mark and the legend's aside."""
    (axes,) = figure.axes
    grey = matplotlib.colors.to_rgba(plots.FAINT)
    drawn = [line for line in axes.lines if len(line.get_xdata()) > 2]
    return sum(matplotlib.colors.to_rgba(line.get_color()) != grey for line in drawn)


def test_the_path_colours_the_edges_of_the_truth_the_graph_or_the_choice():
    path = random_path()
    graph = random_graph()
    empty = TemporalGraph.from_adjacency(np.zeros((3, 4, 4)))
    assert coloured(view.l1_path(path, graph)) == graph.adjacency.sum()
    assert coloured(view.l1_path(path, graph, truth=empty)) == 0
    near = np.abs(np.log(path.l1s / path.chosen)).argmin()
    assert coloured(view.l1_path(path)) == (path.strengths[near] >= 0.3).sum()
    last = (path.strengths[-1] >= 0.3).sum()
    assert coloured(view.l1_path(replace(path, chosen=None))) == last


def test_the_graph_of_a_path_may_have_another_order_and_other_lags():
    path, graph = random_path(), random_graph()
    order = [2, 0, 3, 1]
    turned = TemporalGraph(
        tuple(graph.names[one] for one in order),
        graph.adjacency[:1][:, order][:, :, order],
        graph.strengths[:1][:, order][:, :, order],
    )
    assert coloured(view.l1_path(path, turned)) == graph.adjacency[0].sum()
    assert coloured(view.l1_path(path, random_graph(4, 5))) > 0


def test_the_chosen_l1_is_marked_if_it_is_on_the_path():
    def legend(path):
        return [text.get_text() for text in view.l1_path(path).legends[0].get_texts()]

    assert "l1 = 0.01" in legend(random_path())
    assert not any("l1 =" in text for text in legend(random_path(chosen=5.0)))
    assert not any("l1 =" in text for text in legend(random_path(chosen=None)))


def test_what_is_no_path_is_refused():
    with pytest.raises(GraphError, match=r"path is a ndarray; expected what chronodag\.l1"):
        view.l1_path(np.zeros(3))
    with pytest.raises(GraphError, match="graph is a ndarray; expected a TemporalGraph"):
        view.l1_path(random_path(), np.zeros(3))
    with pytest.raises(GraphError, match="variables X1, X2, X3, X4; the graph has a, b, c, d"):
        view.l1_path(random_path(), random_graph(names=("a", "b", "c", "d")))


# --- edges against the cut


@given(st.integers(0, 1000))
def test_the_steps_count_the_edges(seed):
    ranking = np.round(np.random.default_rng(seed).gamma(0.5, size=(2, 3, 3)), 1)
    found, counts = steps(ranking)
    for cut, count in zip(found[1:], counts[1:], strict=True):
        assert count == (ranking >= cut).sum()
    assert (found[0], counts[0]) == (0.0, (ranking > 0).sum())


def test_the_cut_is_that_of_the_graph_or_as_given():
    graph = random_graph(sure=True)
    least = graph.confidence[graph.adjacency].min()
    for picture, cut in ((cuts(graph), least), (cuts(graph, cut=0.7), 0.7)):
        marks = [line for line in picture.axes[0].lines if "cut at" in str(line.get_label())]
        assert [line.get_xdata()[0] for line in marks] == [pytest.approx(cut)]


def test_strengths_tell_nothing_of_what_to_expect():
    assert len(cuts(random_graph()).axes) == 1
    assert len(cuts(random_graph(sure=True)).axes) == 2


def test_the_expected_f1_peaks_where_the_best_cut_is():
    graph = random_graph(sure=True)
    cut, best = best_cut(graph.confidence)
    (line, *_) = cuts(graph).axes[1].lines
    values = line.get_ydata()
    assert max(values) == pytest.approx(best)
    assert line.get_xdata()[int(np.argmax(values))] == pytest.approx(cut)


def test_a_graph_without_anything_has_no_cut():
    empty = TemporalGraph.from_adjacency(np.zeros((2, 3, 3)))
    figure = cuts(empty)
    assert not any("cut at" in text for text, _ in boxes(figure))
    with pytest.raises(GraphError, match="graph is a list; expected a TemporalGraph"):
        view.edges_against_threshold([1])


# --- matrices of shares


def test_presence_has_one_scale_up_to_one():
    result = random_bootstrap()
    figure = view.confidences(result, min_presence=0.4)
    shown = [axes for axes in figure.axes if axes.images]
    assert len(shown) == 3
    for axes, cells in zip(shown, result.presence, strict=True):
        np.testing.assert_array_equal(axes.images[0].get_array(), cells)
        assert axes.images[0].get_clim() == (0.0, 1.0)
        (frames,) = [c for c in axes.collections if c.get_label() == "kept"]
        assert len(frames.get_paths()) == (cells >= 0.4).sum()
    assert "in 40% of the replicates or more" in [text for text, _ in boxes(figure)]
    assert figure.axes[-1].get_ylabel() == "share of replicates"


def test_a_graph_without_confidences_is_refused():
    with pytest.raises(GraphError, match="a TemporalGraph without confidences; expected what"):
        view.confidences(random_graph())


# --- places of names


@given(st.lists(st.floats(0, 10), max_size=12), st.floats(0.1, 0.8))
def test_places_are_set_apart_in_their_order_within_limits(places, gap):
    moved = plots.apart(places, gap, (0.0, 10.0))
    order = np.argsort(places, kind="stable")
    assert (np.diff(np.array(moved)[order]) >= gap * (1 - 1e-9)).all()
    assert all(gap / 2 - 1e-9 <= one <= 10 - gap / 2 + 1e-9 for one in moved)


def test_places_that_are_apart_stay():
    assert plots.apart([5.0, 1.0], 0.5, (0.0, 10.0)) == [5.0, 1.0]
    assert plots.apart([5.0, 5.0], 0.5, (0.0, 10.0)) == [4.75, 5.25]


def test_names_stay_in_the_picture_where_all_edges_are_strong():
    path = random_path(8, 2)
    high = replace(path, strengths=np.where(path.strengths > 0, 0.99 + path.strengths / 1e3, 0.0))
    figure = view.l1_path(high, random_graph(8, 2))
    height = figure.bbox.size[1]
    assert all(box.y0 >= 0 and box.y1 <= height for text, box in boxes(figure) if "→" in text)
