r"""Weights of the quotes: what counts as an error of the same size.

- `rmsre`: w = 1/y^2, relative price errors (the paper's objective)
- `absolute`: w = 1/N^2, price errors per unit notional
- `vega`: w = 1/vega^2, to first order errors in flat normal vol
- `liability`: an importance per maturity, such as {10: 1, 20: 3}, times 1/y^2
- one number per quote: the user's own

`leverage_balanced` (`balance.py`) starts from 1/y^2 and needs fits to find its weights.
"""

from collections.abc import Mapping

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.market.day import MarketDay
from calibscope.market.maturity import label

WEIGHTINGS = ("rmsre", "absolute", "vega", "leverage_balanced")

Weights = str | Mapping[float, float] | ArrayLike


def weights_of(day: MarketDay, weights: Weights) -> Array:
    """The weights (m,) of a day, by name, by importance per maturity, or as given."""
    if isinstance(weights, str):
        if weights == "rmsre":
            return frozen(day.prices**-2.0)
        if weights == "absolute":
            return frozen(np.full(len(day.prices), day.notional**-2.0))
        if weights == "vega":
            return frozen((day.notional * day.caplets.vegas(day.normal_vols)) ** -2.0)
        raise ValueError(
            f"weights are {weights!r}; choose from {', '.join(WEIGHTINGS)}, give an importance per "
            "maturity, such as {10: 1, 20: 3}, or one weight per quote"
        )
    if isinstance(weights, Mapping):
        return frozen(_checked(day, _importance(day, weights)) * day.prices**-2.0)
    return frozen(_checked(day, weights))


def name_of(weights: Weights) -> str:
    """What a weighting is called."""
    if isinstance(weights, str):
        return weights
    return "liability" if isinstance(weights, Mapping) else "own"


def _importance(day: MarketDay, weights: Mapping[float, float]) -> Array:
    missing = [label(year) for year in day.maturities if float(year) not in weights]
    if missing:
        raise ValueError(
            f"{day.label}: no importance is given for {', '.join(missing)}; name every maturity, "
            "with 0 for those that do not matter"
        )
    return np.array([weights[float(year)] for year in day.maturities], float)


def _checked(day: MarketDay, weights: ArrayLike) -> Array:
    values = np.asarray(weights, float)
    if values.shape != day.prices.shape or not (values >= 0).all() or not np.isfinite(values).all():
        raise ValueError(f"weights are {weights!r}; give {len(day.prices)} numbers, none negative")
    if not (values > 0).any():
        raise ValueError("all weights are zero; at least one quote must count")
    return values
