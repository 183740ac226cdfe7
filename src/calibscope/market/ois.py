"""Discount factors from par rates of overnight index swaps, bootstrapped by QuantLib.

Conventions of the Euro market (ESTR, and EONIA before it): start at spot, two TARGET days after the
trade date; annual payments, one TARGET day after each period; Act/360. A maturity of one day is the
overnight deposit that starts today.

The swaps are bootstrapped on their true dates, log-linear between them. The discount factor for a
nominal maturity of t years is then read off 365.25 t days after the trade date: a year of average
length, so that nodes agree with calendar dates to about a day, and a month of 28 days does not make
the forward rate jump as it would if it were put at 1/12.
"""

import datetime
from typing import Any, Literal

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.calendar import DAYS_A_YEAR, FIRST_YEAR, LAST_YEAR
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.inputs import choice, parsed_date

Index = Literal["ESTR", "EONIA"]

# Files write a week as 7/365 or 1/52 and a month as 0.0833: to a tenth of a day, they are the same.
SAME_DAYS = 0.1
SPOT_DAYS, PAYMENT_LAG = 2, 1
LARGEST_RATE = 1.0


def bootstrapped(
    maturities: Array, rates: Array, date: str | datetime.date, index: Index = "ESTR"
) -> Array:
    """Log discount factors at the nominal maturities that reprice every par rate.

    Parameters
    ----------
    maturities : (k,) years, increasing: n/365 for days and weeks, n/12 for months
    rates : (k,) par rates, decimal
    date : trade date, a TARGET business day
    index : which overnight rate
    """
    day, problems = parsed_date(date)
    problems += choice(index, "index", Index)
    if day is None and not problems:
        problems.append("there is no date; the swaps need one to know their payment dates")
    tenors = [_tenor(years) for years in maturities]
    problems += [
        f"maturity is {years:g} years; give a whole number of days (n/365) or months (n/12)"
        for years, tenor in zip(maturities, tenors, strict=True)
        if tenor is None
    ]
    problems += [
        f"maturity {maturities[i + 1]:g} follows {maturities[i]:g}; maturities must increase"
        for i in np.flatnonzero(np.diff(maturities) <= 0)
    ]
    problems += [
        f"t = {maturities[i]:g}: par rate is {rates[i]}; it must be a number"
        for i in np.flatnonzero(~np.isfinite(rates))
    ]
    if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR - 60:
        problems.append(f"date is {day}; there was or will be no TARGET calendar")
    problems += [
        f"t = {maturities[i]:g}: par rate is {rates[i]:g}, which is {100 * rates[i]:g} percent; "
        "rates are decimals (2 percent is 0.02)"
        for i in np.flatnonzero(np.abs(rates) > LARGEST_RATE)
    ]
    raise_problems("OIS quotes", problems)
    assert day is not None
    return _quantlib(maturities, [tenor for tenor in tenors if tenor], rates, day, index)


def _tenor(years: float) -> tuple[int, Literal["days", "months"]] | None:
    if not 0 < years < 100:
        return None
    months, days = round(12 * years), round(365 * years)
    if months and abs(12 * years - months) * 365 / 12 < SAME_DAYS:
        return months, "months"
    if days and abs(365 * years - days) < SAME_DAYS:
        return days, "days"
    return None


def _quantlib(
    maturities: Array,
    tenors: list[tuple[int, Literal["days", "months"]]],
    rates: Array,
    day: datetime.date,
    index: Index,
) -> Array:
    import QuantLib as ql

    units = {"days": ql.Days, "months": ql.Months}
    calendar, today = ql.TARGET(), ql.Date(day.day, day.month, day.year)
    if not calendar.isBusinessDay(today):
        raise MarketDataError(
            "OIS quotes", [f"{day} is not a TARGET business day; correct the date"]
        )
    periods = [ql.Period(count, units[unit]) for count, unit in tenors]
    settings = ql.Settings.instance()
    before = settings.evaluationDate
    settings.evaluationDate = today
    try:
        overnight = ql.Estr() if index == "ESTR" else ql.Eonia()
        helpers = [
            _helper(ql, tenor, period, float(rate), overnight)
            for tenor, period, rate in zip(tenors, periods, rates, strict=True)
        ]
        curve = ql.PiecewiseLogLinearDiscount(today, helpers, ql.Actual365Fixed())
        # A month can end a day or two before a twelfth of a year has passed.
        curve.enableExtrapolation()
        factors = [curve.discount(float(t)) for t in maturities * DAYS_A_YEAR / 365]
    except RuntimeError as error:
        raise MarketDataError(
            "OIS quotes",
            [
                f"{day}: no curve reprices these par rates; do two maturities fall on one date, or "
                f"is a rate wrong? ({' '.join(str(error).split())})"
            ],
        ) from None
    finally:
        settings.evaluationDate = before
    return np.log(factors)


def _helper(ql: Any, tenor: tuple[int, str], period: Any, rate: float, overnight: Any) -> Any:
    quote = ql.QuoteHandle(ql.SimpleQuote(rate))
    if tenor == (1, "days"):
        calendar, day_count = ql.TARGET(), overnight.dayCounter()
        return ql.DepositRateHelper(quote, period, 0, calendar, ql.Following, False, day_count)
    return ql.OISRateHelper(
        SPOT_DAYS, period, quote, overnight, paymentLag=PAYMENT_LAG, telescopicValueDates=True
    )
