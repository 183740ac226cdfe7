r"""How alike the changes of two quotes are before anything is seen: by maturity and strike.

.. math:: R_{ij} = (1 - \epsilon)\,e^{-\sum_c |x_{ic} - x_{jc}|} + \epsilon\,\delta_{ij}

over the coordinates c of quotes: the logarithm of one plus each time in years, strikes in steps of
2 % from the money, and whether they are instruments of the same kind; caps and floors are. A month
of history counts for more (`history.py`).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.day import MarketDay
from calibscope.market.instruments.kept import kind_of

ALONE = 0.03  # share of a change that a quote has for itself
STRIKE_STEP = 0.02


def similarity(days: Sequence[MarketDay], labels: Sequence[str]) -> Array:
    """(m, m) correlations of the changes of quotes, by where each was when first quoted."""
    found: dict[str, Mapping[str, float]] = {}
    for day in days:
        if not found.keys() >= set(day.labels):
            found = {**_coordinates(day), **found}
    names = sorted({name for place in found.values() for name in place})
    x = np.array([[found[label].get(name, 0.0) for name in names] for label in labels])
    distance = np.abs(x[:, None] - x).sum(axis=-1)
    return np.asarray((1 - ALONE) * np.exp(-distance) + ALONE * np.eye(len(labels)))


def _coordinates(day: MarketDay) -> dict[str, dict[str, float]]:
    """By label; what is at the money has a strike of 0."""
    c = day.cap_count
    offsets = np.zeros(c)
    if day.is_struck is not None:
        caplets = day.caplets
        weights = np.add.reduceat(caplets.annuities, caplets.starts)
        forwards = np.add.reduceat(caplets.annuities * caplets.forwards, caplets.starts) / weights
        offsets = np.where(day.is_struck, day.strikes[:c] - forwards, 0.0) / STRIKE_STEP
    places = {
        label: {"maturity": float(np.log1p(years)), "strike": offset}
        for label, years, offset in zip(
            day.labels, day.cap_maturities.tolist(), offsets.tolist(), strict=False
        )
    }
    for instrument in day.others:
        place = {f"is a {kind_of(instrument)}": 1.0}
        for name, value in instrument.coordinates.items():
            if np.isfinite(value):
                is_strike = name == "strike"
                place[name] = value / STRIKE_STEP if is_strike else float(np.log1p(value))
        places[instrument.label] = place
    return places
