"""The demo study in few numbers: what every rearrangement of the code has to leave as it is.

``python tests/reference/demo_record.py [FILE]`` writes ``demo_record.npz`` (or another file), and
``--compare [FILE]`` prints how far today's fits are from it. Only a change that is meant to
change results may do so, and its commit says which and why.

Of every day: parameters, RMSRE, status, flags (as bits), EDoF, and of leverage, influence, Cook's
distance, DFBETAS and delta intervals in all modes two products with fixed random vectors each. A
product is as sensitive as the array itself to a difference anywhere, and takes a thirtieth of the
space. What is not a number counts as zero and by its place in the array.

Rounding differs between processors and between versions of the libraries, so that the record says
where it was made.
"""

import platform
import sys
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
ARRAYS_KEPT = {f"{name} {mode}" for name in (*ARRAYS, "intervals") for mode in MODES}


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
        ends = [one.intervals(0.95, "mad_adjusted", method="delta") for one in dx]
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


def _gap(found, values):
    """Largest difference of the products, relative to the length of the array."""
    return (np.abs(found - values)[:, :2].max(axis=1) / np.maximum(values[:, 2], 1e-300)).max()


def compare(path):
    """Print how far today's fits are from recorded ones, day by day."""
    with np.load(path) as file:
        old = dict(file)
    fits = cs.calibrate_many(cs.demo_market())
    new = record(fits)
    gaps = np.abs(new["parameters"] / old["parameters"] - 1).max(axis=1)
    length = np.maximum(old["leverage full"][:, 2], 1e-300)
    leverage = np.abs(new["leverage full"] - old["leverage full"])[:, :2].max(axis=1) / length
    same = (new["parameters"] == old["parameters"]).all(axis=1)
    close = (gaps <= 1e-9) & (leverage <= 1e-9)
    print(f"recorded on {old['machine']}, compared on {machine()}")
    print(f"RMSRE: largest relative difference {np.abs(new['rmsre'] / old['rmsre'] - 1).max():.1e}")
    print(f"bit-identical parameters on {same.mean():.1%} of {len(same):,} days; "
          f"parameters and leverage within 1e-9 on {close.mean():.1%}")  # fmt: skip
    before = recorded_fits(old["parameters"])
    again = record(before)
    worst = {name: _gap(again[name], values) for name, values in old.items() if name in ARRAYS_KEPT}
    name = max(worst, key=worst.get)
    print(f"diagnosis at the recorded parameters: within {worst[name]:.1e} ({name})")
    for day in np.flatnonzero(~close):
        worse = fits[day].objective / before[day].objective - 1
        print(f"  {fits[day].problem.day.date}: parameters {gaps[day]:.1e}, leverage "
              f"{leverage[day]:.1e}, objective {worse:+.1e}")  # fmt: skip


if __name__ == "__main__":
    if "--compare" in sys.argv:
        compare(sys.argv[2] if len(sys.argv) > 2 else PATH)
    else:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else PATH
        numbers = record(cs.calibrate_many(cs.demo_market()))
        np.savez_compressed(path, machine=machine(), **numbers)
        print(f"{path.name}: {path.stat().st_size / 1e3:,.0f} kB, {len(numbers['rmsre']):,} days")
