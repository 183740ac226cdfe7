r"""Where profiles that are known cross the limit of a level or a scale that nobody asked them for.

A profile is walked up to the limit of its highest level, and every lower limit crosses the same
curve. Between two of its points :math:`z = \sqrt{Q_j - Q_{\min}}` is taken as linear in the
coordinate of the walk, which raises z by about a quarter of the whole from point to point: ends
come to within a tenth of the interval's length, enough to say whether another interval
contradicts them (`comparison.py`). Above the limit of the walk nothing is known.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.transforms import Scale
from calibscope.diagnosis.linear.intervals import quantile
from calibscope.diagnosis.linear.uncertainty import BID_ASK, Noise
from calibscope.diagnosis.refit.profile import Profile, Profiles, limit_at

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

Ends = tuple[Array, Array]  # low and high, (levels, p)


def known_ends(dx: "Diagnosis", levels: Array, scale: Noise) -> Ends | None:
    """Ends of profile intervals as far as profiles are known; None where none is.

    Parameters
    ----------
    dx : with the profiles that it remembers
    levels : (levels,) or one
    scale : of the noise
    """
    known = [walked for walked in dx.known_profiles.values() if walked.curves]
    if not known:
        return None
    found = [_ends_at(dx, known, float(level), scale) for level in np.atleast_1d(levels)]
    low, high = (np.array(ends) for ends in zip(*found, strict=True))
    return (low[0], high[0]) if np.ndim(levels) == 0 else (low, high)


def _ends_at(dx: "Diagnosis", known: Iterable[Profiles], level: float, scale: Noise) -> Ends:
    """(p,) both ends at a level: as they were walked to, or else read off the highest walk."""
    by_height = sorted(known, key=lambda one: float(one.limits[-1]))
    for walked in by_height:
        if walked.scale == scale and level in walked.levels:
            exact = walked.intervals.at(level)
            return exact.low, exact.high
    walked, p = by_height[-1], len(dx.problem.values)
    low, high = np.full(p, np.nan), np.full(p, np.nan)
    for curve in walked.curves:
        place = dx.problem.specs.place(curve.name)
        limit = _limit(dx, walked, curve, level, scale)
        along = dx.problem.specs.profile.scales[place]
        low[place], high[place] = crossings(curve, limit, walked.lowest, along)
    return low, high


def _limit(dx: "Diagnosis", walked: Profiles, curve: Profile, level: float, scale: Noise) -> float:
    """Q at the end of an interval; of spreads each curve has its own, known if it was walked to."""
    if BID_ASK not in (scale, walked.scale):
        return limit_at(dx, level, scale)
    if scale != walked.scale:
        return np.nan
    now, highest = quantile(np.array([level, walked.levels[-1]]), scale, np.asarray(0))
    return float(walked.lowest + (curve.limits[-1] - walked.lowest) * (now / highest) ** 2)


def crossings(curve: Profile, limit: float, lowest: float, scale: Scale) -> tuple[float, float]:
    """Where a curve crosses a limit for the first and the last time; not numbers above its own."""
    if not limit <= curve.limits[-1]:
        return np.nan, np.nan
    heights = np.sqrt(np.maximum(curve.objectives - lowest, 0.0))
    rung = float(np.sqrt(limit - lowest))
    inside = np.flatnonzero(heights <= rung)

    def end(i: int, outside: int) -> float:
        if not 0 <= outside < len(heights):  # the bound is inside
            return float(curve.values[i])
        share = (rung - heights[i]) / (heights[outside] - heights[i])
        here, there = scale.coordinate(curve.values[[i, outside]])
        return float(scale.value(here + share * (there - here)))

    return end(inside[0], inside[0] - 1), end(inside[-1], inside[-1] + 1)
