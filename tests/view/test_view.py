"""The pictures: what they show, that their text is readable, and that they leave no trace."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from chronodag import view
from chronodag.errors import GraphError, SettingsError
from chronodag.graph import TemporalGraph, threshold_strengths
from chronodag.metrics import compare
from chronodag.view import arrows, canvas
from chronodag.view.differences import differences

PICTURES = [view.heatmap, view.time_series_graph, view.summary_graph]
WITH_TRUTH = [view.heatmap, view.time_series_graph]


def random_pair(d=5, lags=2, seed=0, names=None):
    """Return a truth and an estimate that shares some of its edges, some of them turned."""
    rng = np.random.default_rng(seed)
    true = rng.random((lags + 1, d, d)) < 0.3
    true[0] = np.triu(true[0], 1)
    strengths = np.where(rng.random(true.shape) < 0.75, true, ~true) * rng.gamma(2, size=true.shape)
    np.fill_diagonal(strengths[0], 0)
    turned = true[0] & (rng.random((d, d)) < 0.5)
    strengths[0] = np.where(turned, 0, strengths[0]) + 2 * turned.T
    return (
        TemporalGraph.from_adjacency(true, names),
        threshold_strengths(strengths, 0.3, names),
    )


def reordered(graph, order):
    return TemporalGraph.from_adjacency(
        graph.adjacency[:, order][:, :, order],
        [graph.names[i] for i in order],
        graph.strengths[:, order][:, :, order],
    )


def panels(figure):
    """Return the axes that show matrices."""
    return [axes for axes in figure.axes if axes.images]


def framed(axes, label="kept"):
    """Return the (parent, child) cells framed in a panel."""
    (frames,) = [c for c in axes.collections if c.get_label() == label]
    middles = [path.get_extents().get_points().mean(axis=0) for path in frames.get_paths()]
    return {(round(y), round(x)) for x, y in middles}


def marked(axes, kind):
    """Return the (parent, child) cells that bear one kind of mark."""
    (marks,) = [drawn for drawn in axes.lines if drawn.get_label() == kind]
    return {(int(y), int(x)) for x, y in zip(*marks.get_data(), strict=True)}


def cells(array):
    return {(int(i), int(j)) for i, j in np.argwhere(array)}


def arrow_count(figure, label=None):
    drawn = [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]
    return sum(label is None or patch.get_label() == label for patch in drawn)


def written(figure):
    return [text.get_text() for text in figure.texts]


# --- heatmap


def test_heatmap_has_one_panel_per_lag():
    _, graph = random_pair(names=["rain", "wind", "river", "sun", "snow"])
    shown = panels(view.heatmap(graph))
    titles = [axes.get_title() for axes in shown]
    assert titles == ["same time (t)", "lag 1: X(t-1)", "lag 2: X(t-2)"]
    for lag, axes in enumerate(shown):
        assert tuple(label.get_text() for label in axes.get_xticklabels()) == graph.names
        # The rows of all panels are level, so their names stand beside the first one only.
        beside = tuple(label.get_text() for label in axes.get_yticklabels())
        assert beside == (graph.names if lag == 0 else ())
        np.testing.assert_array_equal(axes.images[0].get_array(), graph.strengths[lag])
        assert framed(axes) == cells(graph.adjacency[lag])


def test_heatmap_has_one_scale_and_faint_cells_where_there_is_no_edge():
    _, graph = random_pair()
    figure = view.heatmap(graph)
    images = [axes.images[0] for axes in panels(figure)]
    assert {image.get_clim() for image in images} == {(0.0, graph.strengths.max())}
    for lag, image in enumerate(images):
        faint = image.get_alpha() < 1
        np.testing.assert_array_equal(faint, ~graph.adjacency[lag])
    assert len(figure.axes) == len(images) + 1
    assert figure.axes[-1].get_ylabel() == "strength"


def test_heatmap_without_strengths_has_no_colour_bar():
    _, graph = random_pair()
    figure = view.heatmap(graph, strengths=False)
    assert len(figure.axes) == len(panels(figure)) == 3
    np.testing.assert_array_equal(panels(figure)[1].images[0].get_array(), graph.adjacency[1])


def test_lag_zero_diagonal_is_greyed_out():
    _, graph = random_pair()
    shown = panels(view.heatmap(graph))
    assert framed(shown[0], "impossible") == {(i, i) for i in range(5)}
    assert framed(shown[1], "impossible") == set()


@pytest.mark.parametrize("seed", range(4))
def test_marks_stand_on_the_differences(seed):
    truth, graph = random_pair(seed=seed)
    shown = panels(view.heatmap(graph, truth))
    assert len(shown) == 6
    estimates, truths = shown[::2], shown[1::2]
    count = 0
    for lag, axes in enumerate(estimates):
        true, drawn = truth.adjacency[lag], graph.adjacency[lag]
        turned = cells(drawn & ~true & true.T & (lag == 0))
        assert marked(axes, "turned") == turned
        assert marked(axes, "wrong") == cells(drawn & ~true) - turned
        assert marked(axes, "missed") == cells(true & ~drawn) - {(j, i) for i, j in turned}
        np.testing.assert_array_equal(truths[lag].images[0].get_array(), true)
        count += sum(len(marked(axes, kind)) for kind in ("turned", "wrong", "missed"))
    assert count == compare(truth, graph).shd > 0


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(0, 2), st.integers(0, 2))
@settings(max_examples=50, deadline=None)
def test_the_kinds_of_differences_add_up(seed, d, lags, more_lags):
    truth, _ = random_pair(d, lags, seed)
    _, graph = random_pair(d, more_lags, seed + 1)
    order = np.random.default_rng(seed).permutation(d)
    found = differences(graph, reordered(truth, list(order)))
    kinds = [found.correct, found.wrong, found.missed, found.turned]
    assert np.sum(kinds, axis=0).max(initial=0) <= 1
    assert sum(int(kind.sum()) for kind in kinds[1:]) == compare(truth, graph).shd
    drawn = (found.correct | found.wrong | found.turned)[: graph.lags + 1]
    np.testing.assert_array_equal(drawn, graph.adjacency)
    np.testing.assert_array_equal(found.truth[: truth.lags + 1], truth.adjacency)


def test_names_are_thinned_beyond_forty_variables():
    graph = TemporalGraph.from_adjacency(np.zeros((2, 45, 45)))
    labels = [label.get_text() for label in panels(view.heatmap(graph))[0].get_xticklabels()]
    assert labels == list(graph.names[::2])
    graph = TemporalGraph.from_adjacency(np.zeros((2, 40, 40)))
    assert len(panels(view.heatmap(graph))[0].get_xticklabels()) == 40


# --- time-series graph and summary graph


def test_time_series_graph_has_an_arrow_per_edge():
    _, graph = random_pair(names=["a", "b", "c", "d", "e"])
    figure = view.time_series_graph(graph)
    assert arrow_count(figure) == len(graph.edges())
    assert written(figure) == [*graph.names, "t", "t-1", "t-2"]


def test_time_series_graph_tells_the_kinds_of_edges_apart():
    truth, graph = random_pair(seed=3)
    found = differences(graph, truth)
    figure = view.time_series_graph(graph, truth=truth)
    for kind in ("correct", "wrong", "missed", "turned"):
        assert arrow_count(figure, kind) == getattr(found, kind).sum() > 0
    (legend,) = figure.legends
    entries = [text.get_text() for text in legend.get_texts()]
    assert entries == ["correct edge", "wrong edge", "missed edge", "reversed edge"]


def test_arrows_start_and_end_where_they_should():
    graph = TemporalGraph.from_adjacency([[[0, 1], [0, 0]], [[1, 0], [0, 0]]], strengths=None)
    axes = view.time_series_graph(graph).axes[0]
    nodes = {
        collection.get_label(): [p.get_extents().get_points().mean(0) for p in paths]
        for collection in axes.collections
        if (paths := collection.get_paths())
    }
    own, now = sorted(
        (p for p in axes.patches if isinstance(p, FancyArrowPatch)),
        key=lambda patch: patch._path_original.vertices[0][0],
    )
    # The edge to itself is straight and level; the one at lag 0 swings out to the right.
    line = own._path_original.vertices
    np.testing.assert_allclose(line[:, 1], nodes["lag 1"][0][1], atol=1e-9)
    assert nodes["lag 1"][0][0] < line[0, 0] < line[-1, 0] < nodes["lag 0"][0][0]
    bow = now._path_original.vertices
    assert (bow[:, 0] > nodes["lag 0"][0][0]).all()
    assert nodes["lag 0"][0][1] > bow[0, 1] > bow[-1, 1] > nodes["lag 0"][1][1] - 0.01


def test_summary_graph_has_an_arrow_per_pair_and_its_lags():
    adjacency = np.zeros((3, 3, 3))
    adjacency[[0, 2], 0, 1] = adjacency[1, 1, 0] = adjacency[1, 2, 2] = 1
    figure = view.summary_graph(TemporalGraph.from_adjacency(adjacency))
    assert arrow_count(figure) == 3
    assert sorted(text.get_text() for text in figure.axes[0].texts) == ["0, 2", "1", "1"]
    assert written(figure) == ["X1", "X2", "X3"]


def test_wider_arrows_for_stronger_edges():
    strengths = np.zeros((2, 2, 2))
    strengths[1] = [[0.5, 2.0], [0.0, 1.0]]
    figure = view.time_series_graph(threshold_strengths(strengths, 0.1))
    widths = [p.get_linewidth() for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]
    assert widths == sorted(widths)
    assert len(set(widths)) == 3


# --- curves


@given(st.lists(st.floats(-3, 3), min_size=8, max_size=8))
def test_a_shortened_curve_lies_on_the_curve(numbers):
    curve = np.array(numbers).reshape(4, 2)
    piece = arrows.shortened(curve, 0.1, 0.2)
    dense = arrows.points_at(curve, np.linspace(0, 1, 2001))
    for point in arrows.points_at(piece, np.linspace(0, 1, 5)):
        assert np.hypot(*(dense - point).T).min() < 0.02


def test_bowed_curve_passes_at_the_asked_distance():
    curve = arrows.bowed(np.array([0.0, 0.0]), np.array([2.0, 0.0]), 0.3)
    np.testing.assert_allclose(arrows.points_at(curve, np.array([0.5])), [[1.0, 0.3]])
    assert arrows.clearance(curve, np.array([[1.0, 0.0]])) == pytest.approx(0.3, abs=1e-3)


# --- all pictures


def boxes(figure):
    """Return the visible texts of a figure with the boxes they fill, in pixels."""
    canvas_ = FigureCanvasAgg(figure)
    canvas_.draw()
    renderer = canvas_.get_renderer()
    texts = figure.findobj(matplotlib.text.Text)
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    boxed = [(text.get_text(), text.get_window_extent(renderer)) for text in shown]
    return [(text, box) for text, box in boxed if box.width > 0]


LONG = ["time_remaining", "score", "a rather long name of a sensor", "x", "y_velocity"]


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize(
    ("d", "lags", "names"), [(1, 2, None), (3, 1, None), (5, 3, LONG), (20, 3, None)]
)
def test_no_text_is_clipped_and_none_overlaps(picture, d, lags, names):
    truth, graph = random_pair(d, lags, names=names)
    options = {"truth": truth} if picture in WITH_TRUTH else {}
    figure = picture(graph, title="The rivers of the north, as learned from ten years", **options)
    found = boxes(figure)
    width, height = figure.bbox.size
    for text, box in found:
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= width, text
        assert box.y1 <= height, text
    if picture is view.summary_graph:
        found = [(text, box) for text, box in found if text in graph.names]
    for index, (text, box) in enumerate(found):
        for other, second in found[:index]:
            # Letters may touch within a pixel of rounding.
            assert not box.padded(-1.0).overlaps(second.padded(-1.0)), (text, other)


@pytest.mark.parametrize("picture", PICTURES)
def test_a_figure_without_edges_or_with_any_characters_in_its_names(picture, tmp_path):
    empty = TemporalGraph.from_adjacency(np.zeros((2, 3, 3)), ["a$b$", "x_1^2", "é & <b>"])
    figure = picture(empty, title="$5 or 5$")
    assert isinstance(figure, Figure)
    assert any(text == "$5 or 5$" for text, _ in boxes(figure))
    view.save(figure, tmp_path / "empty.svg")


@pytest.mark.parametrize("picture", PICTURES)
def test_negative_strengths_count_by_size(picture):
    strengths = np.zeros((2, 2, 2))
    strengths[1, 0, 1] = -2.0
    graph = TemporalGraph.from_adjacency(strengths != 0, None, strengths)
    figure = picture(graph)
    if picture is view.heatmap:
        assert figure.axes[-1].get_ylabel() == "size of strength"
        assert panels(figure)[1].images[0].get_array()[0, 1] == 2.0


@pytest.mark.parametrize("picture", PICTURES)
def test_bad_graphs_are_refused(picture):
    with pytest.raises(GraphError, match="graph is a ndarray; expected a TemporalGraph"):
        picture(np.zeros((2, 3, 3)))


@pytest.mark.parametrize("picture", WITH_TRUTH)
def test_a_truth_that_does_not_fit_is_refused(picture):
    _, graph = random_pair(d=3, names=["a", "b", "c"])
    other, _ = random_pair(d=3, names=["a", "b", "z"])
    with pytest.raises(GraphError, match="different variables"):
        picture(graph, truth=other)
    with pytest.raises(GraphError, match="truth is a list; expected a TemporalGraph"):
        picture(graph, truth=[[0]])


@pytest.mark.parametrize("picture", WITH_TRUTH)
def test_a_truth_with_other_lags_and_another_order_fits(picture):
    truth, _ = random_pair(lags=3)
    _, graph = random_pair(lags=1)
    straight = picture(graph, truth=truth)
    shuffled = picture(graph, truth=reordered(truth, [4, 2, 0, 1, 3]))
    if picture is view.heatmap:
        assert len(panels(straight)) == 8
    assert [b.bounds for _, b in boxes(straight)] == [b.bounds for _, b in boxes(shuffled)]


# --- saving, and leaving no trace


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
def test_the_same_picture_gives_the_same_bytes(picture, suffix, tmp_path):
    _, graph = random_pair(d=3, lags=1)
    first = view.save(picture(graph), tmp_path / f"one{suffix}")
    second = view.save(picture(graph), str(tmp_path / f"two{suffix}"))
    assert first.read_bytes() == second.read_bytes()
    starts = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert first.read_bytes().startswith(starts[suffix.lower()])


def test_saving_refuses_unknown_suffixes_and_missing_folders(tmp_path):
    figure = canvas.new_figure(1, 1)
    for name in ("graph.jpg", "graph"):
        with pytest.raises(SettingsError, match=r"expected one of \.png, \.svg, \.pdf"):
            view.save(figure, tmp_path / name)
    with pytest.raises(SettingsError, match=r"does not exist.*create the folder first"):
        view.save(figure, tmp_path / "new" / "graph.png")
    assert list(tmp_path.iterdir()) == []


def test_settings_of_matplotlib_are_left_alone(tmp_path):
    truth, graph = random_pair(d=3, lags=1)
    before = dict(matplotlib.rcParams)
    for picture in PICTURES:
        view.save(picture(graph), tmp_path / "graph.svg")
    view.heatmap(graph, truth)
    assert dict(matplotlib.rcParams) == before


def test_no_pyplot_is_imported_and_matplotlib_only_when_drawing(tmp_path):
    code = f"""
import sys, numpy as np
from chronodag import view
from chronodag.graph import TemporalGraph
early = [name for name in sys.modules if name.startswith("matplotlib")]
graph = TemporalGraph.from_adjacency(np.triu(np.ones((1, 3, 3)), 1))
for picture in (view.heatmap, view.time_series_graph, view.summary_graph):
    view.save(picture(graph), {str(tmp_path / "graph.png")!r})
view.heatmap(graph, graph)
print(early, "matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"
