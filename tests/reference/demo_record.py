"""The demo study in few numbers: what every rearrangement of the code has to leave as it is.

``python tests/reference/demo_record.py`` writes ``demo_record.npz``. Only a change that is meant to
change results may do so, and its commit says which and why.

Of every day: parameters, RMSRE, status, flags (as bits), EDoF, and of leverage, influence, Cook's
distance, DFBETAS and delta intervals in all modes two products with fixed random vectors each. A
product is as sensitive as the array itself to a difference anywhere, and takes a thirtieth of the
space. What is not a number counts as zero and by its place in the array.

Rounding differs between processors and between versions of the libraries, so that the record says
where it was made.
"""

import platform
from pathlib import Path

import llvmlite.binding
import numba
import numpy as np
import scipy

import calibscope as cs
from calibscope.calibration.calibrate import posed_problem
from calibscope.calibration.solution import Fit

PATH = Path(__file__).with_suffix(".npz")
MODES = ("active", "full", "strict")
ARRAYS = ("leverage", "influence", "cooks_distance", "dfbetas", "resid_studentized_external")


def machine():
    """What rounding depends on."""
    versions = (np.__version__, scipy.__version__, numba.__version__)
    return " ".join((platform.machine(), llvmlite.binding.get_host_cpu_name(), *versions))


def record(fits):
    """The numbers of fits, in order: names to arrays, the day first."""
    found = {
        "parameters": np.array([fit.parameters.values for fit in fits]),
        "rmsre": np.array([fit.rmsre for fit in fits]),
        "status": np.array([fit.status.name for fit in fits]),
    }
    for mode in MODES:
        dx = cs.diagnose_many(fits, mode)
        found[f"edof {mode}"] = dx.of_all("edof").astype(np.int8)
        flags = np.array([dx.of_all(name) for name in dx.batches[0].flags.__slots__])
        found[f"flags {mode}"] = (flags * (1 << np.arange(len(flags)))[:, None]).sum(axis=0)
        scale = found["parameters"]
        for name in ARRAYS:
            values = dx.of_all(name)
            # Shares of the parameters: otherwise the smallest would not show.
            values = values / scale[:, None, :] if name == "influence" else values
            found[f"{name} {mode}"] = products(values)
        ends = [one.intervals(0.95) for one in dx]
        found[f"intervals {mode}"] = products(
            np.array([np.log(np.abs([end.low, end.high])) for end in ends])
        )
    found["condition number"] = cs.diagnose_many(fits, "full").of_all("condition_number")
    return found


def products(values):
    """(n, 3) of arrays (n, ...): two products with random vectors, and the length."""
    flat = values.reshape(len(values), -1)
    is_number = np.isfinite(flat)
    places = np.random.default_rng(1).uniform(1, 2, flat.shape[1])
    flat = np.where(is_number, flat, 0.0)
    rng = np.random.default_rng(0)
    along = flat @ rng.standard_normal((flat.shape[1], 2))
    return np.column_stack([along, np.linalg.norm(flat, axis=1), ~is_number @ places])


def recorded_fits(parameters):
    """The demo market's fits at given parameters, not fitted again."""
    return [
        Fit(posed_problem(day, "rmsre", None, None), cs.G2(*point), "global", 0, 0.0)
        for day, point in zip(cs.demo_market(), parameters, strict=True)
    ]


if __name__ == "__main__":
    numbers = record(cs.calibrate_many(cs.demo_market()))
    np.savez_compressed(PATH, machine=machine(), **numbers)
    print(f"{PATH.name}: {PATH.stat().st_size / 1e3:,.0f} kB, {len(numbers['rmsre']):,} days")
