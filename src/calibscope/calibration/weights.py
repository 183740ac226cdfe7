r"""Weights of the quotes: what counts as an error of the same size.

- `rmsre`: w = 1/y^2, relative price errors (the paper's objective)
- `absolute`: w = 1/N^2, price errors per unit notional
- `vega`: w = 1/vega^2, to first order errors in flat normal vol
- `liability`: an importance per maturity, such as {10: 1, 20: 3}, times 1/y^2
- one number per quote: the user's own

`leverage_balanced` (`balance.py`) starts from 1/y^2 and needs fits to find its weights.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.base.brief import brief
from calibscope.base.numbers import counted
from calibscope.base.spelling import choose_from, hint
from calibscope.market.day import MarketDay

Weighting = Literal["rmsre", "absolute", "vega", "leverage_balanced"]
WEIGHTINGS: tuple[str, ...] = get_args(Weighting)

TOO_SMALL = "so small a price has no weight 1/y^2; leave the quote out, or take weights='absolute'"
NO_VEGA = (
    "the price has no vega (below the intrinsic value, or so little above it that its vol does not "
    "show); leave the quote out, or take other weights"
)
NAMED = 8  # quotes in a message
# Of the price: below, a vol of 1 bp moves the price by less than 1e-10 of it, which is rounding. At
# the money vega is about 100 times the price.
LEAST_VEGA = 1e-6
# Of w y^2: beyond, sums of squares leave the range of numbers.
SMALLEST_PULL, LARGEST_PULL = 1e-100, 1e100

Weights = str | Mapping[Any, float] | ArrayLike  # by label, or by maturity in years


def weights_of(day: MarketDay, weights: Weights) -> Array:
    """The weights (m,) of a day, by name, by importance per maturity, or as given."""
    if isinstance(weights, str):
        if weights == "rmsre":
            return _finite(day, _relative(day), TOO_SMALL)
        if weights == "absolute":
            return frozen(np.full(len(day.prices), day.notional**-2.0))
        if weights == "vega":
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                vegas = day.vegas
                shows = vegas > LEAST_VEGA * day.prices
                return _finite(day, np.where(shows, vegas**-2.0, np.nan), NO_VEGA)
        raise ValueError(
            f"weights are {brief(weights)}; {choose_from(WEIGHTINGS, weights)}, or give an "
            "importance per maturity, such as {10: 1, 20: 3}, or one weight per quote"
        )
    if isinstance(weights, Mapping):
        importance = _checked(day, _importance(day, weights))
        return _finite(day, np.where(importance > 0, importance * _relative(day), 0.0), TOO_SMALL)
    own = _checked(day, weights)
    with np.errstate(over="ignore", under="ignore"):
        pull = float((own * day.prices**2).max())
    if not SMALLEST_PULL <= pull <= LARGEST_PULL:
        raise ValueError(
            f"weights are up to {own.max():g} for prices up to {day.prices.max():g}; only their "
            "ratios matter, so multiply all by the same number until w y^2 is near 1"
        )
    return frozen(own)


class MarketWeights(dict[Any, float]):
    """Importances whose names were checked on the whole market: a single day may lack some."""


def check_names(weights: Weights, days: Iterable[MarketDay]) -> None:
    """Refuse importances of quotes that no day has.

    Parameters
    ----------
    weights : of any sort; only importances have names
    days : one at least quotes what is named
    """
    if not isinstance(weights, Mapping) or isinstance(weights, MarketWeights):
        return
    labels: dict[str, None] = {}
    years: set[float] = set()
    for day in days:
        labels |= dict.fromkeys(day.labels)
        years |= set(day.maturities.tolist())
    unknown = [key for key in weights if key not in labels and key not in years]
    if unknown and labels:
        named = ", ".join(f"{brief(key)}{hint(labels, key)}" for key in unknown[:NAMED])
        more = f" and {len(unknown) - NAMED} more" * (len(unknown) > NAMED)
        raise ValueError(
            f"weights are given for {named}{more}, which no day quotes; the quotes are "
            f"{_listed(list(labels))}"
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
    return f"{', '.join(names[:NAMED])}{more}"


def name_of(weights: Weights) -> str:
    """What a weighting is called."""
    if isinstance(weights, str):
        return weights
    return "liability" if isinstance(weights, Mapping) else "own"


def _relative(day: MarketDay) -> Array:
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(day.prices**-2.0)


def _finite(day: MarketDay, weights: Array, reason: str) -> Array:
    """The weights, or an error that names each quote without one."""
    bad = np.flatnonzero(~np.isfinite(weights))
    if bad.size:
        quotes = ", ".join(f"{day.labels[k]} at {day.prices[k]:g}" for k in bad)
        raise ValueError(f"{day.label}: {quotes}: {reason}")
    return frozen(weights)


def _importance(day: MarketDay, weights: Mapping[Any, float]) -> Array:
    """By label, or by maturity for all quotes of it; the label counts where both are given."""
    quotes = list(zip(day.labels, day.maturities.tolist(), strict=True))
    missing = [name for name, year in quotes if name not in weights and year not in weights]
    if missing:
        raise ValueError(
            f"{day.label}: no importance is given for {_listed(missing)}; name every quote or "
            "maturity, with 0 for those that do not matter"
        )
    return np.array([weights.get(name, weights.get(year)) for name, year in quotes], object)


def _checked(day: MarketDay, weights: ArrayLike) -> Array:
    try:
        values = np.asarray(weights, float)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.shape != day.prices.shape or not (values >= 0).all() or not np.isfinite(values).all():
        raise ValueError(
            f"weights are {brief(weights)}; give {counted(len(day.prices), 'number')}, none "
            "negative"
        )
    if not (values > 0).any():
        raise ValueError("all weights are zero; at least one quote must count")
    return values
