"""Wrong quotes, found by comparing each with its past and its neighbours.

A single day cannot show a wrong quote that the fit meets anyway (leverage near 1); history can.
Each quote's change in log normal vol is compared with what the changes of all other quotes of the
day and its own past predict, in standard deviations that adapt to turbulence (`history.py`), and a
quote is accused only if that is clearly likelier than any other explanation (`judge.py`).
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, frozen
from calibscope.base.numbers import counted
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.market.screening.judge import FEWEST_QUOTES, LARGEST_SHARE, Code
from calibscope.market.screening.screen import screen
from calibscope.market.screening.similarity import similarity

if TYPE_CHECKING:
    import pandas as pd

IN_LINE, LIKELY_WRONG = "in line", "likely wrong"
BELOW_INTRINSIC = "below intrinsic value"
NOT_SCREENED, NEW_LEVEL, STALE = "not screened", "new level", "stale day"
UNUSUAL = "unusual day"
ACCUSING = (LIKELY_WRONG, BELOW_INTRINSIC)

WORDS = {
    Code.ABSENT: "",
    Code.NOT_SCREENED: NOT_SCREENED,
    Code.IN_LINE: IN_LINE,
    Code.ACCUSED: LIKELY_WRONG,
    Code.MOVED: NEW_LEVEL,
    Code.UNUSUAL: UNUSUAL,
}

SAME_VOL = 1e-9  # relatively; prices are often rounded, so vols repeat only if somebody copied them


@dataclass(frozen=True, eq=False, repr=False)
class Screening:
    """The verdicts of screening on every quote, days by quotes (n, m).

    Not a number where a quote is missing or is not screened; verdicts are empty where it is
    missing. A day's numbers depend on that day and those before it only.
    """

    days: tuple[MarketDay, ...]  # (n,) as given
    labels: tuple[str, ...]  # (m,) of all quotes
    vols: Array  # normal vols, decimal
    expected_vols: Array  # what the other quotes and the past predict
    scores: Array  # log of vol over expected vol, in standard deviations
    p_values: Array  # two-sided, of each score alone
    q_values: Array  # probability that the quote is right: a local false discovery rate
    verdicts: npt.NDArray[np.str_]

    def __repr__(self) -> str:
        count = int(self.is_accused.sum())
        return (
            f"Screening({counted(len(self.days), 'day')}, {counted(count, 'likely wrong quote')})"
        )

    @property
    def dates(self) -> tuple[datetime.date | None, ...]:
        """(n,) of the days."""
        return tuple(day.date for day in self.days)

    @property
    def is_accused(self) -> BoolArray:
        """(n, m) quotes that are likely wrong, or have a price below their intrinsic value."""
        return np.isin(self.verdicts, ACCUSING)

    @property
    def is_unusual(self) -> BoolArray:
        """(n,) days on which quotes moved unlike their past, and none is named."""
        return np.asarray((self.verdicts == UNUSUAL).any(axis=1))

    @property
    def is_in_doubt(self) -> BoolArray:
        """(n, m) quotes of which one is likely wrong, and nobody can say which."""
        return np.char.startswith(self.verdicts, "one of ")

    @cached_property
    def accused(self) -> "pd.DataFrame":
        """The accused quotes alone, as in `frame`."""
        return self._rows(self.is_accused)

    def frame(self) -> "pd.DataFrame":
        """One row per day and quote.

        Returns
        -------
        pd.DataFrame
            date, label, score, p_value, q_value, vol and expected_vol (decimal), price and
            expected_price (for the notional of the day), verdict
        """
        return self._rows(self.verdicts != "")

    def _rows(self, marks: BoolArray) -> "pd.DataFrame":
        import pandas as pd

        day, column = np.nonzero(marks)
        prices = np.full((2, *marks.shape), np.nan)
        for i in np.unique(day).tolist():
            one = self.days[i]
            places = self._places(one)
            prices[0, i, places] = one.prices
            prices[1, i, places] = one.prices_at(self.expected_vols[i, places])
        columns = {
            "score": self.scores, "p_value": self.p_values, "q_value": self.q_values,
            "vol": self.vols, "expected_vol": self.expected_vols,
            "price": prices[0], "expected_price": prices[1], "verdict": self.verdicts,
        }  # fmt: skip
        dates, labels = np.array(self.dates, "datetime64[s]"), np.array(self.labels, object)
        found = pd.DataFrame({"date": dates[day], "label": labels[column]})
        return found.assign(**{name: values[day, column] for name, values in columns.items()})

    def _places(self, day: MarketDay) -> list[int]:
        return [self._columns[label] for label in day.labels]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {label: k for k, label in enumerate(self.labels)}


def screen_quotes(market: Market) -> Screening:
    """Look for wrong quotes in a history.

    Every day is judged with the history up to it, so that another day at the end leaves all
    earlier verdicts as they are; later days are never used to judge an earlier one. A quote needs
    20 days of history, and a day three quotes. A day on which all quotes are copies of the day
    before is not judged, and does not count as history.

    Parameters
    ----------
    market : one day or more, oldest first; gaps and changing quotes are allowed

    Returns
    -------
    Screening
        a score, a p value, a false discovery rate, the expected vol and a verdict per quote:
        "in line", "likely wrong", "one of 3Y, 4Y" where these cannot be told apart,
        "below intrinsic value" (it has no vol), "new level" (called wrong on more than five days in
        a row, so taken to have moved), "stale day", "not screened", or "unusual day": the quotes
        moved unlike their past, as if several were off together, and no quote is named

    Examples
    --------
    >>> import calibscope as cs
    >>> found = cs.screen_quotes(cs.demo_market().between("2017-09-01", "2017-12-29"))
    >>> found
    Screening(77 days, 1 likely wrong quote)
    >>> found.accused["label"].tolist()
    ['6Y']
    """
    from scipy.special import stdtr

    vols, labels = market.normal_vols, market.labels
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(vols > 0, np.log(vols), np.nan)
    prices = _prices(market)
    stale = _stale_days(logs, prices)
    found = screen(
        np.where(stale[:, None], np.nan, logs),
        _business_days_since(market.dates),
        similarity(market.days, labels),
    )
    words = np.array([WORDS.get(Code(code), "") for code in range(max(Code) + 1)], object)
    verdicts = words[found.codes]
    for i in np.flatnonzero((found.codes == Code.ONE_OF).any(axis=1)).tolist():
        marks = found.codes[i] == Code.ONE_OF
        verdicts[i, marks] = "one of " + ", ".join(np.array(labels, object)[marks])
    quoted = np.isfinite(prices)
    has_no_vol = quoted & ~np.isfinite(logs)
    verdicts[has_no_vol] = NOT_SCREENED
    verdicts[_below_intrinsic(found.codes, found.expected, has_no_vol)] = BELOW_INTRINSIC
    verdicts[stale[:, None] & quoted] = STALE
    return Screening(
        market.days,
        labels,
        frozen(vols),
        frozen(np.exp(found.expected)),
        frozen(found.scores),
        frozen(2 * stdtr(found.degrees[:, None], -np.abs(found.scores))),
        frozen(1 - found.chances),
        verdicts.astype(str),
    )


def _prices(market: Market) -> Array:
    """(n, m) by label; NaN where nothing is quoted."""
    place = {label: k for k, label in enumerate(market.labels)}
    prices = np.full((len(market), len(place)), np.nan)
    for row, day in zip(prices, market.days, strict=True):
        row[[place[label] for label in day.labels]] = day.prices
    return prices


def _stale_days(logs: Array, prices: Array) -> BoolArray:
    """(n,) days that repeat all prices, or all vols, of the day before."""
    stale = np.zeros(len(logs), bool)
    for values, tolerance in ((prices, 0.0), (logs, SAME_VOL)):
        quoted = np.isfinite(values)
        same = np.abs(np.diff(values, axis=0)) <= tolerance
        repeats = np.where(quoted[1:], same, True).all(axis=1)
        stale[1:] |= repeats & (quoted[1:].sum(axis=1) >= FEWEST_QUOTES)
    return stale


def _business_days_since(dates: Sequence[datetime.date]) -> Array:
    """(n,) since the day before, at least 1."""
    days = np.array(dates, "datetime64[D]")
    return np.concatenate((np.ones(min(len(days), 1)), np.busday_count(days[:-1], days[1:])))


def _below_intrinsic(
    codes: npt.NDArray[np.int64], expected: Array, has_no_vol: BoolArray
) -> BoolArray:
    """(n, m) prices without a vol, where that is not what the whole day is like.

    Where many quotes of a day have none, the curve or the strikes may be wrong as well.
    """
    lost = has_no_vol & np.isfinite(expected)
    judged = (codes > Code.NOT_SCREENED).sum(axis=1)
    return np.asarray(lost & (lost.sum(axis=1) <= LARGEST_SHARE * judged)[:, None])
