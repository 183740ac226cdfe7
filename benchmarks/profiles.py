"""How long do the profiles of all five parameters take, against MINOS on the same objective?

``python benchmarks/profiles.py`` profiles 30 days of the built-in market, at 95 % as the peer does,
and at the three levels of the default. The peer is iminuit: MIGRAD from our optimum and MINOS, on
the same compiled objective, one call at a time. It follows one basin and stops where a bound or
strong curvature disturbs it; ours looks over the whole box. The last column counts the ends that
both found and agree on.
"""

import time

import numpy as np
from iminuit import Minuit
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.refit.profile import Profiles

DAYS = 30
AGREED = 1e-3  # relative
LIMIT = 0.2  # seconds


def minos(dx: Diagnosis, limit: float) -> tuple[np.ndarray, float]:
    """Ends (5, 2) of the intervals up to a sum of squares, not a number where MINOS has none."""
    problem, values = dx.refit.problem, dx.problem.values
    lowest = problem.objective(values)

    def cost(q: np.ndarray) -> float:
        if not np.isfinite(q).all():
            return 1e10
        point = np.clip(np.append(np.exp(q[:4]), q[4]), problem.lower, problem.upper)
        return problem.objective(point) / (limit - lowest)

    began = time.perf_counter()
    minuit = Minuit(cost, np.append(np.log(values[:4]), values[4]))
    minuit.errordef = 1.0
    logs = zip(np.log(problem.lower[:4]), np.log(problem.upper[:4]), strict=True)
    minuit.limits = [*logs, (-1.0, 1.0)]
    ends = np.full((5, 2), np.nan)
    try:
        minuit.migrad()
        minuit.minos()
    except RuntimeError:  # it found no minimum to start from
        return ends, time.perf_counter() - began
    for p, error in enumerate(minuit.merrors.values()):
        for side, (shift, is_valid) in enumerate(
            ((error.lower, error.lower_valid), (error.upper, error.upper_valid))
        ):
            if is_valid:
                end = minuit.values[p] + shift
                ends[p, side] = np.exp(end) if p < 4 else end
    return ends, time.perf_counter() - began


def agreed(found: Profiles, ends: np.ndarray) -> int:
    """Ends on which both agree."""
    ours = np.array([(curve.low[-1], curve.high[-1]) for curve in found.curves])
    with np.errstate(invalid="ignore"):
        return int((np.abs(ours - ends) <= AGREED * np.abs(ends)).sum())


def main() -> None:
    days = cs.demo_market().days
    chosen = [days[i] for i in np.linspace(0, len(days) - 1, DAYS).astype(int)]
    diagnoses = [cs.diagnose(fit) for fit in cs.calibrate_many(chosen)]
    diagnoses[0].refits.profiles()  # compiled
    ours, three, theirs, given, same = [], [], [], 0, 0
    for dx in diagnoses:
        began = time.perf_counter()
        found = dx.refits.profiles((0.95,))
        between = time.perf_counter()
        dx.refits.profiles()
        ours.append(between - began)
        three.append(time.perf_counter() - between)
        ends, seconds = minos(dx, float(found.limits[-1]))
        theirs.append(seconds)
        given += int(np.isfinite(ends).sum())
        same += agreed(found, ends)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("five profiles of a day", "median", "longest", "times ours", "ends"):
        table.add_column(heading, justify="left" if "day" in heading else "right")
    for what, times in (("95 %", ours), ("50, 75 and 95 %", three)):
        table.add_row(
            f"calibscope, whole box, {what}", f"{1e3 * np.median(times):.0f} ms",
            f"{1e3 * max(times):.0f} ms", f"{np.median(times) / np.median(ours):.1f}",
            str(10 * DAYS),
        )  # fmt: skip
    table.add_row(
        "iminuit, MIGRAD and MINOS, 95 %", f"{1e3 * np.median(theirs):.0f} ms",
        f"{1e3 * max(theirs):.0f} ms", f"{np.median(theirs) / np.median(ours):.1f}",
        f"{given}, the same {same}",
    )  # fmt: skip
    console = Console(width=100)
    console.print(table)
    within = [sum(seconds < LIMIT for seconds in times) for times in (ours, three)]
    console.print(
        f"Within {1e3 * LIMIT:.0f} ms: {within[0]} of {DAYS} days at 95 %, {within[1]} at three "
        "levels (built-in, synthetic)."
    )


if __name__ == "__main__":
    main()
