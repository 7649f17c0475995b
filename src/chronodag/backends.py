"""Work handed out by joblib: to threads or processes here, or to the workers of a cluster."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from chronodag.errors import SettingsError

_Context = AbstractContextManager[tuple[int, dict[str, Any]]]
"""Gives how many calls run at once, and further options for joblib."""

BACKENDS = ("threading", "loky", "dask", "ray")


@contextmanager
def backend(name: str, jobs: int, address: str | None = None) -> Iterator[int]:
    """Make joblib use a backend within; yields how many calls run at once.

    Dask and Ray start a cluster of `jobs` workers on this machine, or join that at `address`.
    """
    import joblib

    if name not in BACKENDS:
        raise SettingsError(f"backend is {name!r}; expected one of {', '.join(BACKENDS)}.")
    if address is not None and name not in ("dask", "ray"):
        raise SettingsError(
            f"address={address!r} came with the backend {name!r}; only dask and ray join a cluster."
        )
    contexts: dict[str, Callable[[int, str | None], _Context]] = {
        "threading": _here,
        "loky": _loky,
        "dask": _dask,
        "ray": _ray,
    }
    with contexts[name](jobs, address) as (width, options):
        registered = "chronodag-ray" if name == "ray" else name
        with joblib.parallel_config(backend=registered, n_jobs=width, **options):
            yield width


def each(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield the results of calls as they finish, on the backend set up around."""
    import joblib

    parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
    coming = parallel(joblib.delayed(function)(*one) for one in arguments)
    try:
        for one in coming:  # noqa: UP028 (delegating would close it before the filter is set)
            yield one
    finally:
        with warnings.catch_warnings():
            # Whoever stops early knows that the rest is cancelled.
            warnings.simplefilter("ignore", UserWarning)
            coming.close()


@contextmanager
def _here(jobs: int, address: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    yield jobs, {}


@contextmanager
def _loky(jobs: int, address: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    from joblib.externals.loky import get_reusable_executor

    try:
        yield jobs, {}
    finally:
        # Idle workers would keep their children, and those their memory, for minutes.
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


@contextmanager
def _dask(jobs: int, address: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise _missing("dask") from None
    if address is not None:
        with Client(address, set_as_default=True) as client:
            client.wait_for_workers(1, timeout=60)
            yield max(1, sum(client.ncores().values())), {}
        return
    cluster = LocalCluster(
        n_workers=jobs,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.ERROR,
    )
    with cluster, Client(cluster, set_as_default=True):
        yield jobs, {}


@contextmanager
def _ray(jobs: int, address: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        import ray
    except ImportError:
        raise _missing("ray") from None
    _register_ray()
    started = not ray.is_initialized()
    if started:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            ray.init(address="local", num_cpus=jobs, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    try:
        width = int(ray.cluster_resources().get("CPU", 1)) if address is not None else jobs
        # An actor that is lost starts again elsewhere, and does again what it had not finished.
        again = {"num_cpus": 1, "max_restarts": -1, "max_task_retries": -1}
        yield width, {"ray_remote_args": again}
    finally:
        if started:
            ray.shutdown()


def _register_ray() -> None:
    """Register Ray's backend for joblib with results as they come.

    Ray's class inherits from joblib's for multiprocessing a flag that forbids generators; its
    results arrive by callback all the same, which is what generators need.
    """
    import joblib
    from ray.util.joblib.ray_backend import RayBackend

    made = type("RayWithGenerators", (RayBackend,), {"supports_return_generator": True})
    joblib.register_parallel_backend("chronodag-ray", made)


def _missing(name: str) -> SettingsError:
    return SettingsError(
        f"The backend {name!r} needs a package that is not installed: pip install "
        f"'chronodag[{name}]'. Or take another backend."
    )
