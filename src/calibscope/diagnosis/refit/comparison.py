r"""Intervals of the same parameters by several methods side by side, and where they disagree.

The delta method takes the fit for linear, the profile follows the objective itself, the bootstrap
repeats the fit. Where all three agree, any of them will do; where they do not, the profile is the
measure, because it assumes the least. A method disagrees if it has no interval and another has one,
or if an end is further from the profile's than a quarter of the profile's length,

.. math:: |\eta(a) - \eta(b)| > \tfrac14\,\bigl(\eta(high) - \eta(low)\bigr), \qquad
    \eta = \log,\ \arcsin\ \text{or the identity},

arcsin in place of arctanh, which is infinite where a correlation reaches its bound. A quarter of
the length is half of the usual way from estimate to end. All rest on the same scale of the noise.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.transforms import Coordinates
from calibscope.diagnosis.linear.intervals import CUT_WORDS, ROUNDING, Intervals, checked_levels
from calibscope.diagnosis.refit.bootstrap import Bootstrap
from calibscope.diagnosis.refit.profile import Profiles

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis

METHODS = ("delta", "profile", "bootstrap")
PROFILE = 1  # its place
SHARE = 0.25  # of the profile's length
SHORTER, LONGER = 0.75, 1.25  # of it: from where on lengths are worth a word
Ends = tuple[Array, Array]  # low and high


@dataclass(frozen=True, slots=True, eq=False)
class IntervalComparison:
    """Intervals of p parameters by k methods: delta, profile and, if there is one, bootstrap."""

    names: tuple[str, ...]  # (p,)
    level: float
    methods: tuple[str, ...]  # (k,)
    values: Array  # (p,) the fit
    low: Array  # (k, p) not a number where there is no interval
    high: Array  # (k, p)
    own_marks: tuple[tuple[str, ...], ...]  # (k, p) what each method says of its own interval
    disagrees: BoolArray  # (k, p) by the rule above
    words: npt.NDArray[np.str_]  # (k, p) how: "none", "shorter", "longer" or "elsewhere"

    @property
    def has_disagreement(self) -> BoolArray:
        """(p,) whether the method matters."""
        return np.asarray(self.disagrees.any(axis=0))

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be said beside each parameter, by method; empty where there is nothing."""
        return tuple(self._mark(p) for p in range(len(self.names)))

    def _mark(self, p: int) -> str:
        said: dict[str, list[str]] = {}
        for k, method in enumerate(self.methods):
            both = ", ".join(word for word in (str(self.words[k, p]), self.own_marks[k][p]) if word)
            said.setdefault(both, []).append(method)
        return "; ".join(f"{' and '.join(by)}: {what}" for what, by in said.items() if what)

    def frame(self) -> "pd.DataFrame":
        """One row per parameter: estimate, both ends by each method, whether they disagree."""
        import pandas as pd

        columns: dict[str, npt.ArrayLike] = {"estimate": self.values}
        for k, method in enumerate(self.methods):
            columns |= {f"{method}_low": self.low[k], f"{method}_high": self.high[k]}
        columns |= {"disagrees": self.has_disagreement, "mark": self.marks}
        return pd.DataFrame(columns, index=pd.Index(self.names, name="parameter"))


def compare_intervals(
    dx: "Diagnosis",
    level: float = 0.95,
    bootstrap: Bootstrap | None = None,
    profiles: Profiles | None = None,
) -> IntervalComparison:
    r"""Intervals by the delta method, by profiles and, where there is one, by a bootstrap.

    .. math:: |\eta(a) - \eta(b)| > \tfrac14\,\bigl(\eta(high) - \eta(low)\bigr)

    counts as disagreement; profiles as in Bates and Watts (1988), section 6.1, the limit is ours.

    Parameters
    ----------
    dx : of a fit that can be fitted again
    level : of all of them
    bootstrap : refits to simulated quotes, as of `dx.refits.bootstrap()`
    profiles : as of `dx.refits.profiles()`, if they are known; the level must be among theirs

    Returns
    -------
    IntervalComparison
        the intervals, and which disagree
    """
    if checked_levels(level).ndim:
        raise ValueError(f"level is {level!r}; give one number, such as 0.95")
    walked = dx.refits.profiles((level,)) if profiles is None else profiles
    if level not in walked.levels:
        raise ValueError(f"the profiles have no level {level}; theirs are {walked.levels}")
    delta = dx.intervals(level, walked.scale, method="delta")
    profile = walked.intervals.at(level)
    found = [(delta, _without_profile(delta).marks), (profile, _with_gaps(_cuts(profile), walked))]
    if bootstrap is not None:
        again = bootstrap.intervals(level)
        found.append((again, _cuts(again)))
    low, high = (
        np.array([each.low for each, _ in found]),
        np.array([each.high for each, _ in found]),
    )
    disagrees, words = _disagreement(low, high, dx.problem.specs.profile)
    return IntervalComparison(
        dx.problem.specs.names,
        level,
        METHODS[: len(found)],
        dx.problem.values,
        low,
        high,
        tuple(marks for _, marks in found),
        disagrees,
        words,
    )


def contradicted(found: Ends, profile: Ends, scale: Coordinates) -> BoolArray:
    """Which intervals disagree with those of profiles at the same levels, by the rule above.

    Where either is missing, there is nothing to contradict.

    Parameters
    ----------
    found : low and high ends, such as those by the delta method; parameters last
    profile : of the same fits
    scale : of each parameter's profile

    Returns
    -------
    BoolArray
        as the ends
    """
    low, high = (np.array(pair) for pair in zip(found, profile, strict=True))
    _, words = _disagreement(low, high, scale)
    return np.isin(words[0], ("shorter", "longer", "elsewhere"))


def _without_profile(delta: Intervals) -> Intervals:
    """The same, without the mark that the comparison sets itself."""
    return replace(delta, is_contradicted=np.zeros_like(delta.is_contradicted))


def _cuts(intervals: Intervals) -> tuple[str, ...]:
    """Where refits reach a bound; the rest is said of the parameter already."""
    cuts = zip(intervals.is_cut_low, intervals.is_cut_high, strict=True)
    return tuple(CUT_WORDS[bool(low), bool(high)] for low, high in cuts)


def _with_gaps(marks: tuple[str, ...], profiles: Profiles) -> tuple[str, ...]:
    """The same, and where the interval has a gap."""
    apart = {curve.name for curve in profiles.curves if not curve.is_connected}
    names = profiles.problem.specs.names
    return tuple(
        ", ".join(filter(None, (mark, "with a gap" if name in apart else "")))
        for name, mark in zip(names, marks, strict=True)
    )


def _disagreement(
    low: Array, high: Array, scale: Coordinates
) -> tuple[BoolArray, npt.NDArray[np.str_]]:
    """(k, p) which intervals differ from the profile's, and how."""
    bottom, top = scale.of(low), scale.of(high)
    length = top - bottom
    limit = SHARE * length[PROFILE] + ROUNDING
    gap = np.maximum(np.abs(bottom - bottom[PROFILE]), np.abs(top - top[PROFILE]))
    is_none = np.isnan(length)
    cases = {
        "none": is_none & ~is_none.all(axis=0),
        "": ~(gap > limit),
        "shorter": length < SHORTER * length[PROFILE],
        "longer": length > LONGER * length[PROFILE],
    }
    words = np.select(list(cases.values()), list(cases), "elsewhere")
    return np.asarray(words != ""), words
