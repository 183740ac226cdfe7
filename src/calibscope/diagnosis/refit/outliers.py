"""Outliers: every quote's error seen four ways, and a verdict.

A residual alone hides what leverage has absorbed. Beside it stand the externally studentised one,
the error of a forecast from all other quotes (PRESS, by leave-one-out), and what two robust fits
leave of the quote's weight. None of these is a verdict: a wrong quote of high leverage bends the
fit, and the errors appear at its neighbours.

The verdict compares explanations, "this quote alone is wrong" and "none is", by the sums of squares
that the fits without each quote leave (`diagnosis/wrong_quote.py`). It is "outlier" where one quote
has a probability of 0.8, "one of 3Y, 4Y" where up to a quarter of the quotes have it together, "met
whatever it says" at leverage 1, else "in line". Nobody is accused unless some residual is larger
than chance allows (the flag `has_large_residual`), so that flag, summary, verdicts and RAG statuses
agree. A single day has few degrees of freedom: an error that the fit follows may remain unseen, and
`screen_quotes` finds it in the history.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.refit.leave_one_out import LEFT_OUT, LeaveOneOut
from calibscope.diagnosis.refit.refit import Quick
from calibscope.diagnosis.refit.robust import robust
from calibscope.diagnosis.wrong_quote import chances_of, named

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True, eq=False)
class Outliers:
    """One row per quote; not a number where the noise has no scale."""

    labels: npt.NDArray[np.str_]  # (m,)
    residuals: Array  # (m,) weighted; with w = 1/y^2 relative errors
    studentised: Array  # (m,) externally
    press: Array  # (m,) weighted PRESS residuals in units of noise
    huber: Array  # (m,) robustness weights
    cauchy: Array  # (m,)
    chances: Array  # (m,) probability that the quote, and it alone, is wrong
    verdicts: tuple[str, ...]

    def frame(self) -> "pd.DataFrame":
        """One row per quote.

        Returns
        -------
        pd.DataFrame
            residuals of four kinds, the probability that the quote is wrong, and a verdict
        """
        import pandas as pd

        names = ("residuals", "studentised", "press", "huber", "cauchy", "chances")
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame(columns, index=self.labels).assign(verdict=self.verdicts)


def outlier_table(dx: "Diagnosis") -> Outliers:
    """Look at every quote's error."""
    problem, scales = dx.problem, dx.scales
    studentised = dx.resid_studentized_external
    left_out = dx.refits.leave_one_out()
    with np.errstate(divide="ignore", invalid="ignore"):
        press = left_out.weighted_press / scales.mad_adjusted
    huber, cauchy = robust(dx, "huber").robustness, robust(dx, "cauchy").robustness
    chances = chances_of(dx, left_out.shifts.objective, left_out.has_weight)
    verdicts = np.where(_has_verdict(dx, chances), "in line", "no verdict").astype(object)
    places = suspects(dx, left_out)
    verdicts[places] = "outlier" if len(places) == 1 else in_words(dx, places)
    verdicts[dx.leverage >= dx.settings.forced_leverage] = "met whatever it says"
    verdicts[problem.weights == 0] = "no weight"
    return Outliers(
        problem.labels,
        problem.weighted_residuals,
        studentised,
        press,
        huber,
        cauchy,
        chances,
        tuple(verdicts.tolist()),
    )


def suspects(dx: "Diagnosis", left_out: LeaveOneOut) -> list[int]:
    """The quotes that the verdict names, by the fits without each of them: one, a few, or none."""
    if not dx.flags.has_large_residual:
        return []
    chances = chances_of(dx, left_out.shifts.objective, left_out.has_weight)
    return sorted(named(np.where(_has_verdict(dx, chances), chances, 0.0)))


def in_words(dx: "Diagnosis", places: list[int]) -> str:
    """Whom a verdict names, such as "3Y" or "one of 3Y, 4Y"; empty if nobody."""
    listed = ", ".join(map(str, dx.problem.labels[places]))
    return f"one of {listed}" if len(places) > 1 else listed


def known_outlier(dx: "Diagnosis") -> str:
    """Whom the verdict names, where leave-one-out is known or takes milliseconds; else nobody."""
    left_out = dx.known_left_out.get(LEFT_OUT)
    is_quick = isinstance(dx.refit, Quick) and dx.refit.is_quick
    if LEFT_OUT not in dx.known_left_out and is_quick and dx.flags.has_large_residual:
        left_out = dx.refits.leave_one_out()
    return "" if left_out is None else in_words(dx, suspects(dx, left_out))


def _has_verdict(dx: "Diagnosis", chances: Array) -> BoolArray:
    """(m,) quotes that could be accused: they have an error, and the noise has a scale."""
    has_scale = float(dx.scale_mad_adjusted) > 0
    return np.asarray(~np.isnan(dx.resid_studentized_external) & ~np.isnan(chances) & has_scale)
