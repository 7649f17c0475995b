"""Running: resumed, never twice, whatever is killed, and the same on every backend."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chronodag.errors import SettingsError
from chronodag.study import Options, load, only, plan, run
from chronodag.study.store import Store

TESTS = Path(__file__).resolve().parents[1]


class Log(list):
    """Collects what ran."""

    def __call__(self, cell, record):
        self.append((cell.key, record["status"]))


def results(out):
    """What a run came to, whatever the order and the times."""
    table = load(out).select(["key", "status", "f1", "strengths"])
    return sorted(map(str, table.to_pylist()))


@pytest.fixture(scope="module")
def reference(small, tmp_path_factory):
    """The results of the small study, made one after the other."""
    out = tmp_path_factory.mktemp("reference")
    state = run(small(seeds=6, seconds=0.1), out, Options(jobs=1))
    assert (state.done, state.failed, len(state.missing)) == (12, 0, 0)
    return out


def test_every_cell_has_its_file(reference, small):
    names = {path.name for path in (reference / "cells").iterdir()}
    assert names == {
        f"{cell.key}.parquet" for cell in plan(small(seeds=6, seconds=0.1), reference).cells
    }
    assert set(load(reference)["status"].to_pylist()) == {"ok"}


def test_only_what_is_missing_runs(reference, small, tmp_path):
    study, log = small(seeds=6, seconds=0.1), Log()
    for path in sorted((reference / "cells").iterdir())[:9]:
        (tmp_path / "cells").mkdir(exist_ok=True)
        (tmp_path / "cells" / path.name).write_bytes(path.read_bytes())
    half_written = tmp_path / "cells" / ".abc.parquet.1.tmp"
    half_written.write_bytes(b"PAR1")
    broken = tmp_path / "cells" / sorted((reference / "cells").iterdir())[0].name
    broken.write_bytes(broken.read_bytes()[:100])
    run(study, tmp_path, Options(jobs=2), watch=log)
    assert len(log) == len(dict(log)) == 4
    assert not half_written.exists()
    assert results(tmp_path) == results(reference)
    run(study, tmp_path, Options(jobs=2), watch=log)
    assert len(log) == 4


def test_failures_are_results_and_can_be_tried_again(small, tmp_path):
    bad = '  - {method: "study_parts:Slow", label: bad, settings: {error: no good}}'
    late = '  - {method: "study_parts:Slow", label: late, settings: {seconds: 90}}'
    study = small(seeds=1, methods=f"{bad}\n{late}", extra="limits: {seconds: 3}")
    log = Log()
    state = run(study, tmp_path, Options(jobs=2), watch=log)
    assert (state.done, state.failed) == (2, 2)
    assert sorted(status for _, status in log) == ["failed", "ok", "ok", "timeout"]
    run(study, tmp_path, watch=log)
    assert len(log) == 4
    run(study, tmp_path, Options(retry_failed=True), watch=log)
    assert len(log) == 6


def test_mistakes_show_before_any_work(small, tmp_path):
    def refused(message, study=None, **options):
        with pytest.raises(SettingsError, match=message):
            run(study or small(), tmp_path / "out", Options(**options))

    refused("No method is named 'magic'", small(methods="  - {method: magic}"))
    refused("has no setting 'lag'", small(methods="  - {method: empty, settings: {lag: 1}}"))
    refused("empty takes none", small(methods="  - {method: empty, knowledge: {forbid: 0.5}}"))
    refused("cannot be imported", small(methods='  - {method: "study_parts:Gone"}'))
    refused("jobs is 0", jobs=0)
    refused("backend is 'slurm'", backend="slurm")
    refused("only dask and ray join", address="tcp://x")
    refused("one cell at a time", small(extra="one_at_a_time: true"), jobs=2)
    assert not list((tmp_path / "out").glob("cells/*"))


def test_two_runs_in_one_folder_are_refused(small, tmp_path):
    with Store(tmp_path).locked(), pytest.raises(SettingsError, match="in use by another run"):
        run(small(), tmp_path)


def test_some_methods_only(small):
    assert [spec.label for spec in only(small(), ["slow"]).methods] == ["slow"]
    with pytest.raises(SettingsError, match="no method 'fast'; expected slow, self-loops"):
        only(small(), ["fast"])


def test_a_group_stands_for_its_grid(small):
    text = "  - {method: sort-regress, label: ours, settings: {lags: 1}, when: {T: [60]}}"
    grid = text.replace("settings: {lags: 1}", "grid: {lags: [1, 2]}")
    chosen = only(small(methods=grid), ["ours"]).methods
    assert [spec.label for spec in chosen] == ["ours (lags=1)", "ours (lags=2)"]
    assert [spec.label for spec in only(small(methods=grid), ["ours (lags=2)"]).methods] == [
        "ours (lags=2)"
    ]


def start(text, out):
    """Run a study in a process of its own."""
    code = f"""
    from chronodag.study import Options, parse_study, run
    if __name__ == "__main__":
        run(parse_study({text!r}), {str(out)!r}, Options(jobs=2))
    """
    script = out.parent / "script.py"
    script.write_text(textwrap.dedent(code))
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    return subprocess.Popen([sys.executable, str(script)], env=os.environ | {"PYTHONPATH": path})


def wait_for(condition, seconds=120.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children_of(out):
    """The working processes whose working folder is that of the killed program."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if b"chronodag.study.child" in words:
                    environment = (entry / "environ").read_bytes()
                    if str(out).encode() in environment:
                        found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads /proc")
def test_killed_at_any_time_it_goes_on(text, small, reference, tmp_path):
    out = tmp_path / "out"
    process = start(text(seeds=6, seconds=0.25), out)
    wait_for(lambda: len(list(out.glob("cells/*.parquet"))) >= 4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    log, study = Log(), small(seeds=6, seconds=0.25)
    before = len(list(out.glob("cells/*.parquet")))
    assert 4 <= before < 12
    # the orphans notice and end, script.py's folder being on their path
    wait_for(lambda: not children_of(tmp_path))
    run(study, out, Options(jobs=2), watch=log)
    assert len(log) == 12 - before
    assert len(list((out / "cells").iterdir())) == 12


def lose_a_worker(log, after, lost):
    """Kill the process that holds a working child, once some cells are done."""
    psutil = pytest.importorskip("psutil")

    def is_working(process):
        try:
            return "chronodag.study.child" in process.cmdline()
        except psutil.Error:  # it has ended since
            return False

    def watch(cell, record):
        log(cell, record)
        if len(log) >= after and not lost:
            busy = filter(is_working, psutil.Process().children(recursive=True))
            workers = {one.ppid() for one in busy} - {os.getpid()}
            if workers:
                lost.append(min(workers))
                os.kill(lost[0], signal.SIGKILL)

    return watch


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", ["loky", "dask", "ray"])
def test_losing_a_worker_loses_nothing(backend, small, reference, tmp_path):
    if backend != "loky":
        pytest.importorskip({"dask": "distributed"}.get(backend, backend))
    log, lost = Log(), []
    watch = lose_a_worker(log, 3, lost)
    options = Options(jobs=2, backend=backend)
    state = run(small(seeds=6, seconds=0.1), tmp_path, options, watch=watch)
    assert len(lost) == 1
    assert (state.done, state.failed, len(state.missing)) == (12, 0, 0)
    assert len(log) == len(dict(log)) == 12
    assert len(list((tmp_path / "cells").iterdir())) == 12
    assert results(tmp_path) == results(reference)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_there(small, reference, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None
    ) as cluster:
        options = Options(backend="dask", address=cluster.scheduler_address)
        run(small(seeds=6, seconds=0.1), tmp_path, options)
    assert results(tmp_path) == results(reference)


def test_limits_and_labels_do_not_change_the_cells(reference, small):
    study = small(seeds=6, seconds=0.1, extra="limits: {seconds: 100}")
    study = replace(study, data=(replace(study.data[0], label="other"),))
    assert plan(study, reference).done == 12


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_backend_that_is_not_installed(backend, package, small, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingsError, match=rf"pip install 'chronodag\[{backend}\]'"):
        run(small(), tmp_path, Options(backend=backend))
