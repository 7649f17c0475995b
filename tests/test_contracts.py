"""The public names and how they are called. A change here is a change for every user."""

import inspect
import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import typer

import chronodag as cd
from chronodag.cli import app
from chronodag.cli.exits import ExitCode

ROOT = Path(__file__).resolve().parents[1]
REQUIRED = inspect.Parameter.empty


def signature(function):
    """The names and defaults of a function's parameters, in order, without self."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.name not in ("self", "cls")}


def positional(function):
    """The parameters that may be given by position."""
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]


def test_the_names_of_the_package():
    assert set(cd.__all__) == {
        *("NTSNotears", "load", "Panel", "PriorKnowledge", "TemporalGraph", "Edge", "Status"),
        *("ChronodagError", "DataError", "KnowledgeError", "SettingsError", "GraphError"),
        *("fit_many", "threshold_strengths", "metrics", "simulate", "view"),
        *("bootstrap", "Bootstrap", "l1_path", "L1Path", "presets", "equivalent_thresholds"),
    }
    for name in cd.__all__:
        assert getattr(cd, name) is not None
        assert name in dir(cd)
    with pytest.raises(AttributeError, match="no attribute 'NTSNotear'"):
        cd.NTSNotear  # noqa: B018


def test_the_version_and_the_pythons():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert cd.__version__ == project["version"]
    assert project["requires-python"] == ">=3.11"
    assert (Path(cd.__file__).parent / "py.typed").is_file()


def test_expected_errors_are_value_errors():
    for error in (cd.DataError, cd.KnowledgeError, cd.SettingsError, cd.GraphError):
        assert issubclass(error, cd.ChronodagError)
        assert issubclass(error, ValueError)


# Learning ------------------------------------------------------------------------------------


def test_the_settings_of_the_learner():
    assert signature(cd.NTSNotears) == {
        "lags": 1,
        "hidden": None,
        "l1": None,
        "l2": None,
        "threshold": None,
        "knowledge": None,
        "standardize": True,
        "solver": "device",
        "dtype": "float64",
        "h_tol": 1e-8,
        "rho_max": 1e16,
        "max_iter": 100,
        "random_state": None,
        "device": "auto",
        "memory_limit": None,
        "effort": "normal",
        "instantaneous": "auto",
    }
    assert positional(cd.NTSNotears) == ["lags"]


def test_the_calls_of_the_learner():
    assert positional(cd.NTSNotears.fit) == ["self", "data", "y"]
    assert {"series", "time", "start", "callback"} <= set(signature(cd.NTSNotears.fit))
    assert positional(cd.NTSNotears.predict) == ["self", "data"]
    assert positional(cd.NTSNotears.score) == ["self", "data", "y"]
    assert positional(cd.NTSNotears.save) == ["self", "path"]
    assert positional(cd.load) == ["path"]


def test_what_a_fit_leaves(learned):
    assert isinstance(learned.graph_, cd.TemporalGraph)
    assert isinstance(learned.status_, cd.Status)
    assert learned.strengths_.shape == (2, 3, 3)
    assert learned.strengths_.dtype == np.float64
    assert isinstance(learned.objective_, float)
    assert isinstance(learned.acyclicity_, float)
    assert learned.names_ == learned.graph_.names == ("X1", "X2", "X3")
    assert learned.n_features_in_ == 3
    for name in ("solution_", "settings_", "parameters_", "initial_parameters_", "fitted_"):
        assert hasattr(learned, name)


def test_a_fit_is_saved_and_loaded(learned, chain, tmp_path):
    learned.save(tmp_path / "fit.chronodag")
    again = cd.load(tmp_path / "fit.chronodag")
    assert again.graph_ == learned.graph_
    assert again.score(chain) == learned.score(chain)
    assert again.predict(chain).shape == chain.shape


def test_why_a_solver_may_stop():
    assert {status.name for status in cd.Status} == {
        *("H_REACHED", "SETTLED", "UNCONSTRAINED", "RHO_AT_CAP", "ROUNDS_USED_UP"),
        *("ITERATIONS_USED_UP", "LINE_SEARCH_FAILED", "INTERRUPTED"),
    }
    assert {status.name for status in cd.Status if status.success} == {
        *("H_REACHED", "SETTLED", "UNCONSTRAINED")
    }
    assert all(str(status) == status.message for status in cd.Status)


def test_the_calls_around_many_fits():
    assert signature(cd.bootstrap) == {
        "learner": REQUIRED,
        "data": REQUIRED,
        "replicates": 100,
        "block": None,
        "resample": "bootstrap",
        "level": 0.95,
        "warm": True,
        "random_state": 0,
        "jobs": None,
        "backend": None,
        "address": None,
        "store": None,
        "callback": None,
        "series": None,
        "time": None,
    }
    assert positional(cd.bootstrap) == ["learner", "data"]
    assert positional(cd.l1_path) == ["learner", "data", "l1s"]
    assert positional(cd.NTSNotears.from_preset) == ["name"]
    assert [preset.name for preset in cd.presets()] == [
        *("paper-lorenz96", "paper-simulated-200", "paper-simulated-1000", "paper-hockey"),
        "fixed",
    ]
    assert positional(cd.equivalent_thresholds) == ["strengths", "adjacency"]


# Data, knowledge, graphs ---------------------------------------------------------------------


def test_the_panel():
    assert positional(cd.Panel.from_any) == ["data", "names"]
    panel = cd.Panel.from_any(np.arange(12.0).reshape(4, 3))
    assert panel.names == ("X1", "X2", "X3")
    assert panel.dimension == 3
    assert panel.length == 4
    assert not panel.values.flags.writeable


def test_the_statements_of_knowledge():
    known = cd.PriorKnowledge
    edge = {"source": REQUIRED, "target": None, "lag": None}
    assert signature(known.forbid) == edge
    assert signature(known.require) == edge
    assert signature(known.bound) == {**edge, "lower": 0.0, "upper": None}
    assert signature(known.tiers) == {"order": REQUIRED, "lag": None}
    assert list(signature(known.exogenous)) == ["names"]
    assert signature(known.sink)["own_past"] is True
    for name in ("compile", "describe", "from_dict", "to_dict", "from_file", "to_file", "merge"):
        assert callable(getattr(known, name))


def test_knowledge_reads_the_text_form_and_never_changes():
    nothing = cd.PriorKnowledge()
    known = nothing.forbid("goal@0,1 -> *")
    assert len(nothing) == 0
    assert str(known.rules[0]) == "forbid goal@0,1 -> *"
    assert known & nothing == known


def test_the_graph():
    graph = cd.TemporalGraph.from_adjacency([[[0, 1], [0, 0]], [[0, 0], [1, 0]]], ["a", "b"])
    assert graph.names == ("a", "b")
    assert graph.lags == 1
    assert graph.adjacency.dtype == bool
    assert graph.strengths.shape == (2, 2, 2)
    assert graph.removed == ()
    assert [str(edge) for edge in graph.edges()] == ["a(t) -> b(t)", "b(t-1) -> a(t)"]
    assert graph.edges()[0]._fields == (
        "source",
        "target",
        "lag",
        "strength",
        "confidence",
        "direction_risk",
    )
    assert graph.confidence is None
    assert graph.direction_risk is None
    assert [str(edge) for edge in graph.parents("a")] == ["b(t-1) -> a(t)"]
    assert graph.summary().startswith("2 variables, 2 edges")
    assert cd.TemporalGraph.from_json(graph.to_json()) == graph
    assert graph.to_csv().splitlines()[0] == "source,target,lag,strength"
    assert set(graph.to_networkx()) == {"a(t)", "b(t)", "a(t-1)", "b(t-1)"}


def test_the_papers_matrix_has_the_oldest_lag_first_and_sources_in_rows():
    graph = cd.TemporalGraph.from_adjacency([[[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    expected = [[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert graph.to_paper_matrix().astype(int).tolist() == expected


def test_thresholding_is_a_function():
    assert positional(cd.threshold_strengths) == ["strengths", "threshold", "names"]
    graph = cd.threshold_strengths([[[0, 0.2], [0, 0]], [[0.4, 0], [0, 0]]], 0.3, ["a", "b"])
    assert [str(edge) for edge in graph.edges()] == ["a(t-1) -> a(t)"]


# Scores, simulators, pictures ----------------------------------------------------------------


def test_the_scores():
    assert positional(cd.metrics.compare) == ["true", "estimated"]
    graph = cd.TemporalGraph.from_adjacency([[[0, 1], [0, 0]]])
    score = cd.metrics.compare(graph, graph)
    assert (score.f1, score.precision, score.recall, score.shd) == (1.0, 1.0, 1.0, 0)
    assert [field.name for field in fields(score)] == [
        *("window", "lag0", "lagged_cross", "self_loops", "summary"),
        *("auroc", "auprc", "auroc_without_self", "auprc_without_self"),
    ]
    assert set(score.to_dict()) == {field.name for field in fields(score)}
    assert "F1" in score.table()


def test_the_simulators():
    assert set(cd.simulate.__all__) >= {
        *("random_process", "Process", "lorenz96", "random_graph", "sample_many", "sortability"),
    }
    for simulator in (cd.simulate.random_process, cd.simulate.lorenz96, cd.simulate.random_graph):
        assert signature(simulator)["rng"] is REQUIRED, "randomness is the caller's"
    process = cd.simulate.random_process(3, lags=1, rng=0)
    assert isinstance(process.graph, cd.TemporalGraph)
    assert process.sample(20, rng=1).shape == (20, 3)
    ring = cd.simulate.lorenz96(5, 10, rng=0)
    assert ring.data.shape == (10, 5)
    assert ring.graph.adjacency[1].sum() == 20


def test_the_pictures():
    assert set(cd.view.__all__) == {
        *("heatmap", "time_series_graph", "summary_graph", "save"),
        *("confidences", "edges_against_threshold", "l1_path"),
    }
    for picture in (cd.view.heatmap, cd.view.time_series_graph, cd.view.summary_graph):
        assert next(iter(signature(picture))) == "graph"


# The command line ----------------------------------------------------------------------------


def options(command):
    return {option for parameter in command.params for option in parameter.opts}


def test_the_commands_and_their_options():
    program = typer.main.get_command(app)
    assert set(program.commands) >= {"fit", "show", "simulate", "demo"}
    assert set(program.commands["simulate"].commands) >= {"lorenz96", "random"}
    assert options(program.commands["fit"]) >= {
        *("data", "--series", "--time", "--columns", "--drop", "--standardize"),
        *("--forbid", "--require", "--knowledge"),
        *("--lags", "--hidden", "--l1", "--l2", "--threshold", "--solver", "--dtype", "--max-iter"),
        *("--seed", "--out", "--truth", "--quiet", "--force"),
    }
    again = {"data", "--series", "--forbid", "--knowledge", "--lags", "--seed", "--out", "--force"}
    assert options(program.commands["bootstrap"]) >= {
        *again,
        *("--replicates", "--block", "--half", "--cold", "--min-presence"),
        *("--jobs", "--backend", "--address"),
    }
    assert options(program.commands["path"]) >= {*again, "--points", "--truth"}
    assert options(program.commands["show"]) >= {
        *("path", "--threshold", "--picture", "--graph", "--json", "--csv"),
    }


def test_the_exit_codes():
    assert {code.name: code.value for code in ExitCode} == {
        "DONE": 0,
        "UNEXPECTED": 1,
        "USAGE": 2,
        "DATA": 3,
        "KNOWLEDGE": 4,
        "STOPPED_EARLY": 5,
        "INTERRUPTED": 130,
    }
