"""The TARGET calendar: on which days Euro markets are open, and the dates of a cap.

QuantLib knows the holidays; NumPy moves thousands of dates at once.
"""

import datetime
from functools import cache

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array
from calibscope.market.panel import Dates

# TARGET opened in 1999. QuantLib's dates end in 2199.
FIRST_YEAR, LAST_YEAR = 1999, 2190
LONGEST_CAP = 100  # years

# A calendar time in years is days / 365.25, so that a date n years ahead is at n, within a day or
# two: curve nodes are given at nominal maturities (10Y is t = 10), and dates must agree with them.
DAYS_A_YEAR = 365.25

DAY, MONTH = np.timedelta64(1, "D"), np.timedelta64(1, "M")


@cache
def target_calendar() -> np.busdaycalendar:
    """Weekends and TARGET holidays, from QuantLib."""
    import QuantLib as ql

    first, last = ql.Date(1, 1, FIRST_YEAR), ql.Date(31, 12, LAST_YEAR)
    holidays = ql.TARGET().holidayList(first, last, False)
    return np.busdaycalendar(holidays=np.array([day.ISO() for day in holidays], "datetime64[D]"))


def is_business_day(dates: Dates) -> npt.NDArray[np.bool_]:
    """Which of the dates are TARGET business days."""
    return np.asarray(np.is_busday(dates, busdaycal=target_calendar()))


def business_days(first: str, last: str) -> Dates:
    """All TARGET business days from `first` to `last`, both included."""
    days = np.arange(np.datetime64(first, "D"), np.datetime64(last, "D") + DAY)
    return days[is_business_day(days)]


def cap_dates(dates: npt.ArrayLike, tenor_months: int, periods: int) -> Dates:
    """The dates of a cap for each day of quotation: (n, periods + 1), modified following.

    Dates are counted from the day of quotation, not from spot: the rate of a period is fixed two
    business days before it starts, so these are the fixing dates, which decide the price. That
    payments then come two days early changes a price by about a hundredth of a percent.
    """
    start = np.asarray(dates, "datetime64[D]")[..., None]
    months = start.astype("datetime64[M]")
    ahead = months + tenor_months * np.arange(periods + 1) * MONTH
    # The same day of the month, or the month's last day where it has no such day.
    wanted = ahead.astype("datetime64[D]") + (start - months.astype("datetime64[D]"))
    last = (ahead + MONTH).astype("datetime64[D]") - DAY
    rolled = np.busday_offset(
        np.minimum(wanted, last), 0, roll="modifiedfollowing", busdaycal=target_calendar()
    )
    rolled[..., 0] = start[..., 0]
    return np.asarray(rolled)


def calendar_times(dates: npt.ArrayLike, tenor_months: int, periods: int) -> tuple[Array, Array]:
    """Times (n, periods + 1) in years and Act/360 accruals (n, periods) of caps on TARGET dates."""
    days = cap_dates(dates, tenor_months, periods)
    elapsed = (days - days[..., :1]).astype(float)
    return elapsed / DAYS_A_YEAR, np.diff(elapsed, axis=-1) / 360.0


def days_after(first: str, count: int) -> list[datetime.date]:
    """`count` TARGET business days, from `first` on."""
    start = np.datetime64(first, "D")
    ahead = np.busday_offset(start, np.arange(count), roll="forward", busdaycal=target_calendar())
    return [day.item() for day in ahead]
