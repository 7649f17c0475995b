"""The NetSim loader: errors on made-up folders, and the real files where they lie beside us."""

from pathlib import Path

import numpy as np
import pytest

from chronodag.datasets import NETSIM_LENGTHS, netsim
from chronodag.datasets.checksums import NETSIM_SERIES, NETSIM_TRUTHS
from chronodag.errors import DataError, SettingsError
from chronodag.metrics import compare

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "data" / "netsim"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the NetSim files are not beside us")

RING = "0,0,1\n1,0,1\n4,0,1\n1,1,1\n2,1,1\n2,2,1\n3,2,1\n3,3,1\n4,3,1\n4,4,1\n"


def made_up(folder, truth=RING, header="0,1,2,3,4", rows=30):
    values = np.random.default_rng(0).standard_normal((rows, header.count(",") + 1))
    np.savetxt(folder / "sim1.csv", values, delimiter=",", header=header, comments="")
    (folder / "sim1_truth_tcdf.csv").write_text(truth)
    return values


def test_a_made_up_folder_reads_back(tmp_path):
    values = made_up(tmp_path)
    read = netsim(tmp_path, verify=False)
    np.testing.assert_allclose(read.panel.values, values)
    assert read.panel.names == read.graph.names == ("X1", "X2", "X3", "X4", "X5")
    assert [str(edge) for edge in read.graph.parents("X5")] == [
        "X1(t-1) -> X5(t)",
        "X4(t-1) -> X5(t)",
        "X5(t-1) -> X5(t)",
    ]


def test_the_orientations_are_transposes_and_named(tmp_path):
    made_up(tmp_path)
    read = netsim(tmp_path, verify=False)
    listed = netsim(tmp_path, verify=False, orientation="listed")
    assert set(read.graphs) == {"simulator", "listed"}
    assert read.graph is read.graphs["simulator"]
    assert listed.graph == read.graphs["listed"]
    simulator = read.graph.adjacency
    np.testing.assert_array_equal(simulator[1], np.triu(simulator[1]))
    np.testing.assert_array_equal(listed.graph.adjacency[1], simulator[1].T)
    assert not simulator[0].any()
    assert compare(read.graph, read.self_loops).f1 == pytest.approx(2 / 3)


@pytest.mark.parametrize("absent", ["sim1.csv", "sim1_truth_tcdf.csv"])
def test_an_absent_file_is_named_with_instructions(tmp_path, absent):
    made_up(tmp_path)
    (tmp_path / absent).unlink()
    with pytest.raises(DataError, match=rf"no file .*{absent}.*Smith et al\. \(2011\).*folder"):
        netsim(tmp_path, verify=False)


def test_an_absent_folder_is_named_with_instructions(tmp_path):
    with pytest.raises(DataError, match=r"'.*nowhere' is not a folder\. chronodag does not carry"):
        netsim(tmp_path / "nowhere")


def test_another_checksum_is_refused_unless_asked(tmp_path):
    made_up(tmp_path)
    with pytest.raises(DataError, match=r"SHA-256 .*expected f1e041693576ea03.*verify=False"):
        netsim(tmp_path)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"truth": "0,1\n"}, "has 2 columns; expected 3"),
        ({"truth": "0,5,1\n"}, "other than cause,effect,1 with regions 0 to 4"),
        ({"truth": "0,1,2\n"}, "other than cause"),
        ({"truth": "0.5,1,1\n"}, "other than cause"),
        ({"truth": "-1,1,1\n"}, "other than cause"),
        ({"truth": "a,b,c\n"}, "not a table of numbers"),
        ({"header": "0,1,2"}, "has 3 columns; expected 5"),
    ],
)
def test_malformed_files_are_refused(tmp_path, change, match):
    made_up(tmp_path, **change)
    with pytest.raises(DataError, match=match):
        netsim(tmp_path, verify=False)


def test_wrong_settings_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="sim is 2; expected one of 1, 5, 7"):
        netsim(tmp_path, 2)
    with pytest.raises(SettingsError, match="orientation is 'tcdf'; expected one of 'simulator'"):
        netsim(tmp_path, 1, orientation="tcdf")


def test_every_simulation_has_both_checksums():
    assert set(NETSIM_SERIES) == set(NETSIM_TRUTHS) == set(NETSIM_LENGTHS)
    assert all(len(one) == 64 for one in [*NETSIM_SERIES.values(), *NETSIM_TRUTHS.values()])


@needs_real
@pytest.mark.parametrize("sim", NETSIM_LENGTHS)
def test_the_real_files(sim):
    read = netsim(REAL, sim)
    assert read.panel.lengths == (NETSIM_LENGTHS[sim],)
    assert read.graph.adjacency[1].diagonal().all()
    assert read.graph.adjacency.sum() >= 10
    if sim not in (13, 14, 16):
        upper = np.triu(np.ones((5, 5), dtype=bool))
        assert not (read.graph.adjacency[1] & ~upper).any()
