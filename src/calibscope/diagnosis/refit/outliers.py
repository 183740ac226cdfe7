"""Outliers: every quote's error seen four ways, and a verdict.

A residual alone hides what leverage has absorbed. Beside it stand the externally studentised one,
the error of a forecast from all other quotes (PRESS, by leave-one-out), and what two robust fits
leave of the quote's weight. The verdict is "outlier" for a studentised residual larger than chance
allows (the flag `has_outlier`), "suspect" where Cauchy's fit takes more than half of the weight,
"met whatever it says" at leverage 1, else "in line".
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array
from calibscope.diagnosis.flags import outlier_limit
from calibscope.diagnosis.refit.leave_one_out import leave_one_out
from calibscope.diagnosis.refit.robust import robust

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis

HALF = 0.5  # of a weight


@dataclass(frozen=True, slots=True, eq=False)
class Outliers:
    """One row per quote; not a number where the noise has no scale."""

    labels: npt.NDArray[np.str_]  # (m,)
    residuals: Array  # (m,) weighted; with w = 1/y^2 relative errors
    studentised: Array  # (m,) externally
    press: Array  # (m,) weighted PRESS residuals in units of noise
    huber: Array  # (m,) robustness weights
    cauchy: Array  # (m,)
    verdicts: tuple[str, ...]

    def frame(self) -> "pd.DataFrame":
        """One row per quote.

        Returns
        -------
        pd.DataFrame
            residuals of four kinds, and a verdict
        """
        import pandas as pd

        names = ("residuals", "studentised", "press", "huber", "cauchy")
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame(columns, index=self.labels).assign(verdict=self.verdicts)


def outlier_table(dx: "Diagnosis") -> Outliers:
    """Look at every quote's error."""
    problem, scales = dx.problem, dx.scales
    studentised = dx.resid_studentized_external
    with np.errstate(divide="ignore", invalid="ignore"):
        press = leave_one_out(dx).weighted_press / scales.mad_adjusted
    huber, cauchy = robust(dx, "huber").robustness, robust(dx, "cauchy").robustness
    effective_degrees = dx.deletion.degrees_of_freedom
    limit = outlier_limit(effective_degrees, scales.count, dx.settings.outlier_probability)
    has_noise = not dx.flags.is_perfect
    cases = {
        "no weight": problem.weights == 0,
        "met whatever it says": dx.leverage >= dx.settings.forced_leverage,
        "outlier": (np.abs(studentised) > limit) & has_noise,
        "suspect": (cauchy < HALF) & has_noise,
        "no verdict": np.isnan(studentised) | np.isnan(cauchy),
    }
    words = np.select(list(cases.values()), list(cases), "in line")
    return Outliers(
        problem.labels,
        problem.weighted_residuals,
        studentised,
        press,
        huber,
        cauchy,
        tuple(words.tolist()),
    )
