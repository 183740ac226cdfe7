r"""Weights of the quotes: what counts as an error of the same size.

- `rmsre`: w = 1/y^2, relative price errors (the paper's objective)
- `absolute`: w = 1/N^2, price errors per unit notional
- `vega`: w = 1/vega^2, to first order errors in flat normal vol
- one number per quote: the user's own
"""

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.market.day import MarketDay

WEIGHTINGS = ("rmsre", "absolute", "vega")


def weights_of(day: MarketDay, weights: str | ArrayLike) -> Array:
    """The weights (m,) of a day, by name or as given."""
    if isinstance(weights, str):
        if weights == "rmsre":
            return frozen(day.prices**-2.0)
        if weights == "absolute":
            return frozen(np.full(len(day.prices), day.notional**-2.0))
        if weights == "vega":
            return frozen((day.notional * day.caplets.vegas(day.normal_vols)) ** -2.0)
        raise ValueError(
            f"weights are {weights!r}; choose from {', '.join(WEIGHTINGS)}, or give one per quote"
        )
    values = np.asarray(weights, float)
    if values.shape != day.prices.shape or not (values >= 0).all() or not np.isfinite(values).all():
        raise ValueError(f"weights are {weights!r}; give {len(day.prices)} numbers, none negative")
    if not (values > 0).any():
        raise ValueError("all weights are zero; at least one quote must count")
    return frozen(values)


def liability_weights(day: MarketDay, importance: ArrayLike) -> Array:
    """An importance per maturity times 1/y^2: relative errors that matter to the liabilities."""
    return frozen(weights_of(day, importance) * day.prices**-2.0)
