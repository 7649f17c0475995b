"""Files and other libraries' graphs."""

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph, threshold_strengths

# Python's csv module, before 3.13, writes a bare carriage return that it then reads as a new line.
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=6)


@st.composite
def graphs(draw):
    """Any graph: odd names, strengths of every size down to the smallest float."""
    lags, d = draw(st.integers(0, 2)), draw(st.integers(1, 3))
    finite = st.floats(0, allow_infinity=False, allow_subnormal=True)
    strengths = draw(arrays(float, (lags + 1, d, d), elements=finite))
    names = draw(st.lists(NAMES, min_size=d, max_size=d, unique=True))
    return threshold_strengths(strengths, draw(st.sampled_from([0.0, 1e-300, 0.5])), names)


@given(graphs())
def test_json_round_trip_is_exact(graph):
    text = graph.to_json()
    back = TemporalGraph.from_json(text)
    assert back == graph
    assert back.strengths.tobytes() == graph.strengths.tobytes()
    assert back.to_json() == text


@given(graphs())
def test_json_is_strict_and_lists_the_edges(graph):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    content = json.loads(graph.to_json(), parse_constant=refuse)
    assert content["axes"] == ["lag", "source", "target"]
    assert content["edges"] == [
        dict(zip(edge._fields[:4], edge, strict=False)) for edge in graph.edges()
    ]


@given(graphs())
def test_csv_holds_every_edge_exactly(graph):
    rows = list(csv.DictReader(io.StringIO(graph.to_csv(), newline="")))
    read = [(row["source"], row["target"], int(row["lag"]), float(row["strength"])) for row in rows]
    assert read == [tuple(edge[:4]) for edge in graph.edges()]


@given(graphs())
def test_networkx_window_has_a_node_per_variable_and_lag(graph):
    window = graph.to_networkx()
    assert len(window) == len(graph.names) * (graph.lags + 1)
    edges = {
        (
            window.nodes[source]["variable"],
            window.nodes[target]["variable"],
            data["lag"],
            data["strength"],
        )
        for source, target, data in window.edges(data=True)
        if window.nodes[source]["lag"] == data["lag"] and window.nodes[target]["lag"] == 0
    }
    assert window.number_of_edges() == len(edges)
    assert edges == {tuple(edge[:4]) for edge in graph.edges()}


@pytest.fixture
def graph():
    adjacency = np.zeros((2, 2, 2))
    adjacency[0, 0, 1] = adjacency[1, 1, 1] = 1
    return TemporalGraph.from_adjacency(adjacency, ["rain", "Fluß"])


def test_files_are_written_and_read(graph, tmp_path):
    path = tmp_path / "graph.json"
    text = graph.to_json(path)
    assert path.read_text(encoding="utf-8") == text
    assert TemporalGraph.from_json(path) == graph
    assert TemporalGraph.from_json(str(path)) == graph
    other = path.rename(tmp_path / "graph.txt")
    assert TemporalGraph.from_json(other) == graph
    table = tmp_path / "edges.csv"
    assert table.exists() is False
    assert graph.to_csv(table) == "source,target,lag,strength\nrain,Fluß,0,1.0\nFluß,Fluß,1,1.0\n"
    assert table.read_text(encoding="utf-8") == graph.to_csv()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(GraphError, match=r"No file .*nowhere\.json"):
        TemporalGraph.from_json(str(tmp_path / "nowhere.json"))


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "graph.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GraphError, match="not text"):
        TemporalGraph.from_json(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Not JSON"),
        ("{", "Not JSON"),
        ("[1, 2]", "Not a chronodag graph"),
        ('{"format": "other"}', "Not a chronodag graph"),
        ('{"format": "chronodag-graph", "version": 2}', "has version 2"),
        ('{"format": "chronodag-graph", "version": 1}', r"damaged \(KeyError: 'names'\)"),
    ],
)
def test_other_texts_are_refused(text, message):
    with pytest.raises(GraphError, match=message):
        TemporalGraph.from_json(text)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"names": None}, "damaged"),
        ({"names": ["rain", "rain"], "edges": []}, "not distinct"),
        ({"strengths": [[0, "a"]]}, "damaged"),
        ({"strengths": [0.5]}, "damaged"),
        ({"edges": [{"source": "snow", "target": "rain", "lag": 0}]}, "damaged"),
        ({"edges": [{"source": "rain", "target": "rain", "lag": 0}]}, "cycle rain -> rain"),
        ({"edges": [{"source": "rain", "target": "Fluß", "lag": 2}]}, "damaged"),
        ({"edges": [{"source": "rain", "target": "Fluß", "lag": -1}]}, "lag -1"),
        ({"edges": [{"source": "rain", "target": "Fluß", "lag": True}]}, "lag True"),
        ({"edges": [{"source": "rain", "target": "Fluß", "lag": 0.5}]}, "lag 0.5"),
        ({"edges": [{"source": "rain"}]}, "damaged"),
        ({"removed": [{"source": "rain"}]}, "damaged"),
    ],
)
def test_damaged_content_is_refused(graph, damage, message):
    content = json.loads(graph.to_json()) | damage
    with pytest.raises(GraphError, match=message):
        TemporalGraph.from_json(json.dumps(content))
