"""The large kernels, compiled once for all workers: each begins with what no other has begun."""

import fcntl
from pathlib import Path

import numpy as np
from numba import typeof

from calibscope.base.compiled import compile_for_stacks
from calibscope.calibration.g2.conditional import solve_conditional
from calibscope.calibration.g2.search import compile_kernels as compile_search
from calibscope.calibration.g2.trace import trace_days
from calibscope.diagnosis import diagnose  # noqa: F401 (has kernels for stacks)
from calibscope.market.svensson_fit import compile_kernels as compile_svensson
from calibscope.models.g2.caps import CapBook

INDEX = np.zeros(1, dtype=np.int64)
ONE, TWO, THREE = (np.empty((0,) * axes) for axes in (1, 2, 3))
BOOK = CapBook(INDEX, INDEX, INDEX, INDEX, ONE, ONE, ONE, ONE, ONE, ONE)


def compile_for(kernel, *arguments):
    """For arguments of these types; the kernel does not run."""
    kernel.compile(tuple(map(typeof, arguments)))


def compile_held():
    compile_for(
        solve_conditional, BOOK, TWO, TWO, ONE, ONE, TWO, TWO, TWO, TWO, ONE, False, 0.0, 0, 0, TWO,
    )  # fmt: skip


def compile_trace():
    compile_for(trace_days, BOOK, ONE, ONE, ONE, ONE, 0, 0, THREE, TWO, INDEX)


STEPS = (compile_search, compile_svensson, compile_for_stacks, compile_trace, compile_held)


def compile_together(folder: Path, is_first: bool) -> None:
    """Compile all, or wait until another worker has, and load them."""
    for step in STEPS if is_first else reversed(STEPS):
        with (folder / f"{step.__module__}.{step.__name__}").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
            step()
