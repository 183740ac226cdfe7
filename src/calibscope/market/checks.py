"""What can be wrong with the maturities and dates of a day's caps: each check returns problems."""

from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices
from calibscope.base.brief import brief
from calibscope.base.numbers import counted
from calibscope.market.curve import CARRIED_ON, DiscountCurve
from calibscope.market.schedule import Schedule

# A maturity is a multiple of the tenor up to this fraction of a period (3.0000001 is 3).
SAME_PERIOD = 1e-6

# 150 years of months have 1,800; more is a tenor in another unit.
MOST_PERIODS = 2_000

# Strikes that agree to this are the same: 0.0245 and 2.45 / 100.
SAME_STRIKE = 1e-10


def maturity_problems(years: Array, tenor: float, start: int) -> list[str]:
    """Maturities that are no positive multiples of the tenor, or leave no caplet."""
    problems = [] if len(years) else ["there are no maturities; give at least one"]
    for year in years:
        if not 0 < year < np.inf:
            problems.append(f"maturity is {year}; it must be a positive number of years")
            continue
        periods = year / tenor
        if periods > MOST_PERIODS:
            problems.append(
                f"{year:g}Y: the cap would have {periods:.6g} periods, and up to {MOST_PERIODS:,} "
                f"are computed; is the tenor {tenor:g} years (0.5 is six months)?"
            )
        elif abs(periods - round(periods)) > SAME_PERIOD:
            problems.append(
                f"{year:g}Y: the maturity is not a multiple of the tenor, {tenor:g} years "
                "(another tenor, or leave the cap out?)"
            )
        elif round(periods) <= start:
            problems.append(
                f"{year:g}Y: the cap has no caplet left when the first one is excluded "
                "(first_caplet=True keeps it)"
            )
    return problems


def coverage_problems(
    curve: DiscountCurve, schedule: Schedule, years: Array, counts: Indices
) -> list[str]:
    """Caps that reach beyond the schedule or the curve."""
    if counts.shape != years.shape or not len(counts):
        return [
            f"{counted(years.size, 'maturity', 'maturities')} but "
            f"{counted(counts.size, 'period count')}"
        ]
    problems = [
        f"{years[k]:g}Y: the cap needs {counts[k]} periods, the schedule has {schedule.periods}; "
        "give times up to the longest maturity"
        for k in np.flatnonzero(counts > schedule.periods)
    ]
    return problems or beyond_the_curve(curve, years, schedule.times[counts])


def beyond_the_curve(curve: DiscountCurve, years: Array, last_payments: Array) -> list[str]:
    """Caps whose last payment the curve does not reach."""
    return [
        f"{years[k]:g}Y: the last payment is at {last_payments[k]:g} years, but the curve ends at "
        f"{curve.last_time:g}; extend the curve or leave the cap out"
        for k in np.flatnonzero(np.isfinite(years) & (last_payments > curve.last_time + CARRIED_ON))
    ]


def label_problems(labels: Sequence[str]) -> list[str]:
    """Quotes that tables could not tell apart."""
    return [
        f"{label}: two quotes have this label; leave one out, or give it another strike"
        for label in dict.fromkeys(labels)
        if labels.count(label) > 1
    ]


def date_problems(
    schedule: Schedule, years: Array, counts: Indices, tenor: float, start: int
) -> list[str]:
    """Given dates must mean what the maturities say, up to weekends and holidays."""
    ends = schedule.times[counts]
    problems = [
        f"{years[k]:g}Y: period {counts[k]} ends at {ends[k]:g} years; times and tenor ({tenor:g} "
        "years) do not belong together"
        for k in np.flatnonzero(np.abs(ends - years) > tenor / 2)
    ]
    if start == 1 and schedule.times[0] > tenor / 2:
        problems.append(
            f"the first period starts at {schedule.times[0]:g} years, so its caplet is not fixed "
            "today and belongs to the caps; set first_caplet=True"
        )
    return problems


def bid_ask_pairs(years: Array, values: ArrayLike) -> tuple[Array, list[str]]:
    """(m, 2) bid and ask prices."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0), [f"bid_ask is {brief(values)}; give two numbers for each maturity"]
    if array.shape != (len(years), 2):
        return array, [
            f"bid_ask has shape {array.shape}; give bid and ask for "
            f"{counted(len(years), 'maturity', 'maturities')}"
        ]
    return array, []
