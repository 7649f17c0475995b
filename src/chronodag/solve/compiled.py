"""Compiled programs, kept in memory by shape and on disk between processes.

JAX can keep compiled code on disk, but only by settings that are global to the process. Here
they hold while one of our programs is compiled, and not a moment longer; if the user has set up
a cache of their own, that one is used and nothing is touched.
"""

from __future__ import annotations

import hashlib
import os
import platform
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax

_programs: dict[Any, Callable[..., Any]] = {}
_lock = threading.RLock()


def call_compiled(function: Any, static: Any, *arguments: Any) -> Any:
    """Call a jitted `function(static, *arguments)` on placed arrays; compile once per shape."""
    leaves, structure = jax.tree.flatten(arguments)
    shapes = tuple((leaf.shape, str(leaf.dtype), leaf.sharding) for leaf in leaves)
    key = (function, static, structure, shapes)
    program = _programs.get(key)
    if program is None:
        # A GPU's default for float32 products, TF32, keeps ten bits: too few for a line search.
        with _lock, disk_cache(), jax.default_matmul_precision("highest"):
            program = function.lower(static, *arguments).compile()
        _programs[key] = program
    return program(*arguments)


def cache_folder() -> Path | None:
    """Where compiled code is kept: CHRONODAG_CACHE_DIR, else the user's cache; "off" = nowhere."""
    named = os.environ.get("CHRONODAG_CACHE_DIR", "")
    if named.lower() == "off":
        return None
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "chronodag"


@contextmanager
def disk_cache() -> Iterator[None]:
    """Let JAX keep what it compiles in our folder, then put its settings back."""
    folder, config = cache_folder(), _config()
    if folder is None or config.jax_compilation_cache_dir is not None:
        yield
        return
    from jax.experimental.compilation_cache import compilation_cache

    settings = {
        "jax_compilation_cache_dir": str(folder / _machine()),
        "jax_persistent_cache_min_compile_time_secs": 0.1,
        "jax_persistent_cache_min_entry_size_bytes": 0,
    }
    before = {name: getattr(config, name) for name in settings}
    compilation_cache.reset_cache()
    try:
        for name, value in settings.items():
            config.update(name, value)
        yield
    finally:
        for name, value in before.items():
            config.update(name, value)
        compilation_cache.reset_cache()


def _config() -> Any:
    return jax.config


def _machine() -> str:
    """Name the kind of machine: code compiled for one processor may not run on another."""
    about = [jax.__version__, platform.machine(), platform.processor()]
    processors = Path("/proc/cpuinfo")
    if processors.is_file():
        lines = processors.read_text(encoding="utf-8", errors="replace").splitlines()
        about += sorted({line for line in lines if line.startswith(("flags", "model name"))})
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]
