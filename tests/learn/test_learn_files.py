"""Saving and loading: everything comes back, nothing runs, damage is named."""

import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from chronodag.errors import GraphError
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears, load


@pytest.fixture(scope="module")
def rich(chain):
    """A fit that uses all kinds of settings."""
    frame = pd.DataFrame(chain[:60], columns=["rain", "Fluß", "sea"])
    return NTSNotears(
        lags=np.int64(1),
        hidden=(np.int64(2), 3),
        l1=[np.float32(0.25), 0.01],
        threshold=np.array([0.3, 0.2]),
        knowledge=PriorKnowledge().forbid("sea@1 -> *").require("rain", "Fluß", lag=1),
        dtype=np.float64,
        solver="scipy",
        random_state=np.int64(5),
    ).fit(frame)


@pytest.fixture
def path(rich, tmp_path):
    path = tmp_path / "fit.chronodag"
    rich.save(path)
    return path


def test_everything_comes_back(chain, rich, path):
    back = load(path)
    assert back.predict(chain).tobytes() == rich.predict(chain).tobytes()
    assert back.score(chain) == rich.score(chain)
    assert back.graph_ == rich.graph_
    assert back.strengths_.tobytes() == rich.strengths_.tobytes()
    assert (back.status_, back.objective_) == (rich.status_, rich.objective_)
    assert (back.acyclicity_, back.n_iter_) == (rich.acyclicity_, rich.n_iter_)
    assert back.solution_.trace == rich.solution_.trace
    assert back.names_ == rich.names_ == ("rain", "Fluß", "sea")
    assert back.feature_names_in_.tolist() == rich.feature_names_in_.tolist()
    assert back.fitted_.bounds == rich.fitted_.bounds
    assert back.fitted_.initial.tobytes() == rich.fitted_.initial.tobytes()
    assert back.settings_.hidden == rich.settings_.hidden
    for name in ("l1", "threshold"):
        given = getattr(rich.settings_, name)
        assert getattr(back.settings_, name).tobytes() == given.tobytes()
    for old, new in zip(rich.parameters_.layers, back.parameters_.layers, strict=True):
        assert old.weights.tobytes() == new.weights.tobytes()
        assert not new.weights.flags.writeable


def test_the_settings_come_back_and_fit_anew(chain, rich, path):
    back = load(path)
    parameters = back.get_params()
    assert parameters["knowledge"] == rich.knowledge
    assert parameters["random_state"] == 5
    frame = pd.DataFrame(chain[:60], columns=["rain", "Fluß", "sea"])
    again = back.fit(frame)
    assert again.strengths_.tobytes() == rich.strengths_.tobytes()


def test_the_same_fit_gives_the_same_bytes(rich, path, tmp_path):
    rich.save(tmp_path / "again")
    load(path).save(tmp_path / "copy")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()


def test_plain_fits_come_back_too(learned, chain, tmp_path):
    learned.save(str(tmp_path / "plain"))
    back = load(str(tmp_path / "plain"))
    assert back.predict(chain).tobytes() == learned.predict(chain).tobytes()
    assert not hasattr(back, "feature_names_in_")
    assert back.get_params() == learned.get_params()


def test_a_generator_has_no_place_in_a_file_but_its_draw_has(chain, tmp_path):
    learner = NTSNotears(hidden=1, solver="scipy", random_state=np.random.default_rng(4)).fit(
        chain[:60]
    )
    learner.save(tmp_path / "fit")
    back = load(tmp_path / "fit")
    assert back.random_state is None
    assert back.fitted_.initial.tobytes() == learner.fitted_.initial.tobytes()


def test_an_unfinished_fit_comes_back_with_its_status(chain, tmp_path):
    with pytest.warns(ConvergenceWarning, match="max_iter rounds"):
        learner = NTSNotears(
            solver="scipy", hidden=2, threshold=0.3, max_iter=1, h_tol=0.0, random_state=0
        ).fit(chain[:60])
    learner.save(tmp_path / "fit")
    assert load(tmp_path / "fit").status_ is learner.status_


def test_the_file_holds_json_and_arrays_only(path):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names))
        assert {name.rsplit(".", 1)[1] for name in names} == {"json", "npy"}
        for name in names:
            if name.endswith(".json"):
                assert isinstance(json.loads(archive.read(name)), dict)
            else:
                array = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                assert array.dtype == np.float64


def rewritten(path, **replacements):
    """The same archive with some entries replaced, or left out where None."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries |= {name.replace("_", "."): payload for name, payload in replacements.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, payload in entries.items():
            if payload is not None:
                archive.writestr(name, payload)
    return path


def array_bytes(array, *, allow_pickle=False):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(GraphError, match=r"No file .*nowhere"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"not a zip", b"{}"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "fit"
    path.write_bytes(content)
    with pytest.raises(GraphError, match="not a fit written by chronodag"):
        load(path)


def refused(path):
    try:
        load(path)
    except GraphError as error:
        return re.search(r"Expected a file from save|this program reads", str(error)) is not None
    return False


def test_a_cut_or_scrambled_file_is_refused(path):
    whole, strengths = path.read_bytes(), load(path).strengths_.tobytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GraphError, match="not a fit written by chronodag"):
        load(path)
    for position in range(60, len(whole) - 60, len(whole) // 25):
        scrambled = bytearray(whole)
        scrambled[position : position + 20] = bytes(byte ^ 0x5A for byte in whole[:20])
        path.write_bytes(scrambled)
        if not refused(path):  # some bytes of a zip file say nothing
            assert load(path).strengths_.tobytes() == strengths


def changed(path, **changes):
    with zipfile.ZipFile(path) as archive:
        content = json.loads(archive.read("fit.json"))
    kept = {name: value for name, value in (content | changes).items() if value is not ...}
    return json.dumps(kept).encode()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "format 'other'"),
        ({"version": 99}, "version 99"),
        ({"parameters": ...}, "damaged"),
        ({"parameters": {}}, "damaged"),
        ({"parameters": {"hidden": 2, "colour": "red"}}, "damaged"),
        ({"settings": {}}, "damaged"),
        ({"solution": {"trace": []}}, "damaged"),
        ({"names": ["rain"]}, "damaged"),
        ({"names": ["rain", "river", "sea"]}, "damaged"),
        ({"knowledge": {"forbid": 7}}, "damaged"),
    ],
    ids=str,
)
def test_damaged_descriptions_are_refused(path, changes, message):
    rewritten(path, fit_json=changed(path, **changes))
    with pytest.raises(GraphError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("replacements", "message"),
    [
        ({"fit_json": None}, "not a fit"),
        ({"fit_json": b"[]"}, "format None"),
        ({"fit_json": b"\xff"}, "not a fit"),
        ({"graph_json": b"{}"}, "not a fit"),
        ({"graph_json": None}, "not a fit"),
        ({"x_npy": None}, "damaged"),
        ({"x_npy": b"noise"}, "not a fit"),
        ({"x_npy": array_bytes(np.zeros(3))}, "damaged"),
        ({"mean_npy": array_bytes(np.zeros(2))}, "damaged"),
        ({"lower_npy": array_bytes(np.ones(3))}, "damaged"),
    ],
    ids=str,
)
def test_damaged_entries_are_refused(path, replacements, message):
    with pytest.raises(GraphError, match=message):
        load(rewritten(path, **replacements))


class Trap:
    """Does something when it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle ran')",)


def test_pickles_are_not_opened(path):
    pickled = array_bytes(np.array([Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(GraphError, match="allow_pickle=False"):
        load(rewritten(path, x_npy=pickled))
