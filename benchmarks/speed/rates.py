"""Cost of one value-and-gradient, against the machine's own matrix-product rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from benchmarks.speed import machine
from benchmarks.speed.problems import Setting, build
from benchmarks.speed.report import Report
from benchmarks.speed.timing import best_of
from chronodag.model import Windows
from chronodag.solve.problem import Loss

SETTINGS = (
    Setting(5, 3, 5, 1000, "noise"),
    Setting(10, 3, 10, 1000, "noise"),
    Setting(20, 3, 20, 1000, "noise"),
    Setting(20, 1, 40, 500, "noise"),
    Setting(100, 3, 100, 1000, "noise"),
)
ON_GPU = (Setting(200, 3, 200, 10_000, "noise"),)
COLUMNS = {
    "d": "d",
    "K": "K",
    "m": "m",
    "T": "T",
    "dtype": "arithmetic",
    "milliseconds": "ms per evaluation",
    "gigaflops": "GFLOP/s",
    "share": "share of the matrix-product rate",
}


def measure(quick: bool, settings: tuple[Setting, ...] | None = None) -> Report:
    """Time every setting in float64 and float32."""
    on_gpu = machine.backend() == "gpu"
    if settings is None:
        settings = SETTINGS[:2] if quick else SETTINGS + (ON_GPU if on_gpu else ())
    size = 500 if quick else 8192 if on_gpu else 2000
    repeats, seconds = (2, 0.02) if quick else (7, 0.3)
    rows, products = [], {}
    for dtype in ("float64", "float32"):
        products[dtype] = product_rate(size, dtype, repeats)
        for setting in settings:
            spent = evaluation_seconds(setting, dtype, repeats, seconds)
            rate = setting.operations / spent / 1e9
            share = f"{100 * rate / products[dtype]:.1f} %"
            row = {"milliseconds": 1e3 * spent, "gigaflops": rate, "share": share}
            rows.append({**setting.sizes, "dtype": dtype, **row})
    words = [f"{rate:.0f} GFLOP/s in {dtype}" for dtype, rate in products.items()]
    if on_gpu:
        words.append(f"{product_rate(size, 'float32', repeats, 'default'):.0f} GFLOP/s in TF32")
    return Report(
        "rates",
        "Cost per evaluation",
        COLUMNS,
        rows,
        notes=[
            "One evaluation is the squared error of all networks with its L2 term, and the "
            "gradient: what the solver asks for in every turn. Timed in a compiled loop of many, "
            f"best of {repeats}.",
            "GFLOP/s counts the four matrix products alone, 4·(T−K)·d(K+1)·d·m operations, so "
            "the share charges the sigmoids, the sums and the reading of memory to the products.",
            f"The matrix-product rate of this machine, a square product of size {size} through "
            f"JAX in the type's full precision, which the solver uses, same process: "
            f"{', '.join(words)}.",
        ],
        details={"size": size, "product_gigaflops": products},
    )


def evaluation_seconds(setting: Setting, dtype: str, repeats: int, seconds: float) -> float:
    """Return the seconds of one evaluation, from loops that take about `seconds` each."""
    problem = build(setting)
    with jax.enable_x64(True), jax.default_matmul_precision("highest"):
        windows = Windows(
            jnp.asarray(problem.data.values, dtype),
            jnp.asarray(problem.data.weights, dtype),
            jnp.asarray(problem.data.l2),
        )
        x = jnp.asarray(setting.start(), dtype)
        repeat = _repeated(problem.loss)

        def loop(count: int) -> Callable[[], Any]:
            return lambda: _ready(repeat(x, windows, np.int32(count)))

        loop(2)()  # compiles
        count = int(np.clip(seconds / (best_of(2, loop(10)) / 10), 3, 10_000))
        return best_of(repeats, loop(count)) / count


def _repeated(loss: Loss) -> Callable[..., Any]:
    """Return a compiled loop; every turn moves x a little, so none can be left out."""

    def repeat(x: Array, windows: Windows, count: Array) -> tuple[Array, Array]:
        def turn(_: int, carried: tuple[Array, Array]) -> tuple[Array, Array]:
            x, total = carried
            values, gradient = loss(x, windows)
            return x - 1e-6 * gradient, total + jnp.sum(values)

        found: tuple[Array, Array] = jax.lax.fori_loop(0, count, turn, (x, jnp.zeros(())))
        return found

    return jax.jit(repeat)


def product_rate(size: int, dtype: str, repeats: int, precision: str = "highest") -> float:
    """Return GFLOP/s of a square matrix product."""
    with jax.enable_x64(True), jax.default_matmul_precision(precision):
        rng = np.random.default_rng(0)
        left, right = (jnp.asarray(rng.standard_normal((size, size)), dtype) for _ in range(2))
        multiply = jax.jit(jnp.matmul)
        _ready(multiply(left, right))
        spent = best_of(repeats, lambda: _ready(multiply(left, right)))
    return float(2 * size**3 / spent / 1e9)


def _ready(answer: Any) -> None:
    """Wait until the device has it."""
    for leaf in jax.tree.leaves(answer):
        leaf.block_until_ready()
