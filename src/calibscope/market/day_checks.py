"""What can be wrong with a day: each quote by itself, and all of them together."""

from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.numbers import counted
from calibscope.market.cap_quotes import bid_ask_faults, twice
from calibscope.market.checks import bid_ask_pairs, coverage_problems
from calibscope.market.inputs import choice, column, flag, positive_number
from calibscope.market.quotes import Kind

if TYPE_CHECKING:
    from calibscope.market.day import MarketDay


def day_problems(day: "MarketDay") -> list[str]:
    """What is wrong with a day as a whole; labels come later."""
    years, c = day.maturities[: len(day.maturities) - len(day.others)], day.cap_count
    strikes = day.strikes[: len(years)]
    problems = [
        *(problem for kind in dict.fromkeys(day.kinds) for problem in choice(kind, "kind", Kind)),
        *flag(day.has_first_caplet, "has_first_caplet"),
        *column(day.maturities, day.prices, "price")[1],
        *column(years, strikes, "strike", may_be_negative=True)[1],
        *positive_number(day.notional, "notional", "1 means prices per unit"),
    ]
    if c or not day.others:
        problems += coverage_problems(day.curve, day.schedule, years, day.period_counts)
    if len(day.kinds) != c:
        options = counted(c, "cap or floor", "caps and floors")
        problems.append(f"{options} but {counted(len(day.kinds), 'kind')}; give one for each")
    problems += [
        f"maturity is {year}; it must be a positive number of years"
        for year in day.maturities[~((day.maturities > 0) & (day.maturities < np.inf))]
    ]
    if len(day.period_counts) == len(years):
        problems += [
            f"{years[k]:g}Y: the cap covers {counted(day.period_counts[k], 'period')}; it needs "
            f"more than {day.first_period}"
            for k in np.flatnonzero(day.period_counts <= day.first_period)
        ]
    if problems:
        return problems
    longest = float(day.schedule.accruals.max())
    found = twice(day.kinds, day.period_counts, strikes, day.prices[: len(years)])
    problems += [
        f"{years[k]:g}Y: strike is {strikes[k]:g}; it must be above {-1 / longest:g}, "
        "where one plus strike times accrual is zero (units? 2 percent is 0.02)"
        for k in np.flatnonzero(1 + strikes * longest <= 0)
    ]
    if day.bid_ask is not None:
        _, misshapen = bid_ask_pairs(day.maturities, day.bid_ask)
        problems += misshapen
        found += [] if misshapen else bid_ask_faults(day.prices, day.bid_ask)
    return problems + [f"{day.maturities[one.place]:g}Y: {one.text}" for one in found]
