"""What can be wrong with the caps of a day: each check returns the problems it finds."""

from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices
from calibscope.base.brief import brief
from calibscope.market.curve import CARRIED_ON, DiscountCurve
from calibscope.market.quotes import VolType
from calibscope.market.schedule import Schedule

# A maturity is a multiple of the tenor up to this fraction of a period (3.0000001 is 3).
SAME_PERIOD = 1e-6

# 150 years of months have 1,800; more is a tenor in another unit.
MOST_PERIODS = 2_000

# Strikes that agree to this are the same: 0.0245 and 2.45 / 100.
SAME_STRIKE = 1e-10

# No market has quoted more: larger numbers are in another unit.
USUAL_VOLS = {
    "normal": (0.5, "85 bp is 0.0085"),
    "lognormal": (20.0, "35 percent is 0.35"),
    "shifted_lognormal": (20.0, "35 percent is 0.35"),
}


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
                f"{year:g}Y: the maturity is no multiple of the tenor, {tenor:g} years "
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
        return [f"{years.size} maturities but {counts.size} period counts"]
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


def duplicate_problems(
    kinds: Sequence[str], years: Array, counts: Indices, strikes: Array, prices: Array
) -> list[str]:
    """Caps or floors quoted twice: the same maturity and strike, whatever the prices.

    They would pull on the fit with twice their weight, or towards two prices at once.
    """
    if len(set(counts.tolist())) == len(counts):
        return []
    problems = []
    order = np.lexsort((strikes, counts, np.array(kinds)))
    for one, other in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        alike = kinds[one] == kinds[other] and counts[one] == counts[other]
        if alike and strikes[other] - strikes[one] <= SAME_STRIKE:
            first, second = sorted((one, other))
            one_price, other_price = f"{prices[first]:.10g}", f"{prices[second]:.10g}"
            quoted = f"at {one_price} and at {other_price}"
            if one_price == other_price:
                quoted = f"both times at {one_price}, a duplicate"
            problems.append(
                f"{years[one]:g}Y: the {kinds[one]} with strike {strikes[one]:.6g} is quoted "
                f"twice, {quoted} (entries {first + 1} and {second + 1}); keep one, or correct a "
                "strike"
            )
    return problems


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
            "today and belongs to the caps; say first_caplet=True"
        )
    return problems


def vol_problems(
    years: Array, vols: Array, vol_type: VolType, strikes: Array, prices: Array
) -> list[str]:
    """Volatilities that no formula turns into a price, or that are in the wrong unit."""
    usual, example = USUAL_VOLS[vol_type]
    problems = [
        f"{years[k]:g}Y: {vol_type} vol is {vols[k]:g}; vols are decimals ({example})"
        for k in np.flatnonzero(vols > usual)
    ]
    return problems or [
        f"{years[k]:g}Y: strike {strikes[k]:g} or a forward rate is not positive, so it has no "
        f"{vol_type} vol; give normal vols, or shifted lognormal ones with a larger vol_shift"
        if np.isnan(prices[k])
        else f"{years[k]:g}Y: vol {vols[k]:g} and strike {strikes[k]:g} give a price of "
        f"{prices[k]:g}; are both decimals (85 bp is 0.0085, 2 percent is 0.02)?"
        for k in np.flatnonzero(~((prices > 0) & (prices < np.inf)))
    ]


def size_problems(years: Array, strikes: Array, prices: Array, most: Array) -> list[str]:
    """Numbers too large for what they are, which is how a wrong unit shows.

    `most` is what each cap can be worth at most, per unit notional.
    """
    problems = [
        f"{years[k]:g}Y: strike is {strikes[k]:g}, that is {100 * strikes[k]:g} percent; strikes "
        "are decimals (2 percent is 0.02)"
        for k in np.flatnonzero(np.abs(strikes) >= 1)
    ]
    return problems + [
        f"{years[k]:g}Y: price is {prices[k]:g} per unit notional, more than the cap can ever pay; "
        "is it in bp or percent, or for another notional? (46 bp is 0.0046)"
        for k in np.flatnonzero(prices >= most)
    ]


def bid_ask_pairs(years: Array, values: ArrayLike) -> tuple[Array, list[str]]:
    """(m, 2) bid and ask prices."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0), [f"bid_ask is {brief(values)}; give two numbers for each maturity"]
    if array.shape != (len(years), 2):
        return array, [
            f"bid_ask has shape {array.shape}; give bid and ask for each of the {len(years)} "
            "maturities"
        ]
    return array, []


def bid_ask_problems(years: Array, prices: Array, bid_ask: Array) -> list[str]:
    """Quotes outside their own bid and ask; a quote may have neither (both NaN)."""
    return [
        f"{year:g}Y: bid {bid:g}, price {price:g}, ask {ask:g}; they must be in this order and "
        "positive"
        for year, price, (bid, ask) in zip(years, prices, bid_ask, strict=True)
        if not 0 < bid <= price <= ask < np.inf and not (np.isnan(bid) and np.isnan(ask))
    ]
