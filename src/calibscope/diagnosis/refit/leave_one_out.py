r"""Leave-one-out: what the parameters are without each quote, fitted again.

.. math:: \theta_{(k)} = \arg\min \sum_{l \ne k} w_l\,(y_l - g_l(\theta))^2

with the weights of the others as they were. G2++ starts from the minima that its search found for
all quotes, and searches anew where leaving the quote out lowers the sum of squares by a tenth or
more; elsewhere another minimum seldom becomes the best (`benchmarks/leave_one_out.py` counts how
often). `dfbeta` and Cook's distance predict this from one
decomposition; here is the truth, the two predictions beside it (`first_order.py`), and how well the
rest of the quotes predict the one that was left out, :math:`y_k - g_k(\theta_{(k)})`: its PRESS
residual (Allen, 1974), which leverage does not shrink. How far the fit itself moves, all quotes
considered, is Cook's distance by refit,

.. math:: D_k = \bigl(Q(\theta_{(k)}) - Q(\theta)\bigr) / (p\,s^2)

(Cook and Weisberg, 1982, section 5.2); in a linear problem it is the usual one. The fit without
quote k is on the edge of the confidence region, made with all quotes, of the level F(D_k), F with p
and m - p degrees of freedom.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import fdtr

from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.linear.first_order import first_order
from calibscope.diagnosis.refit.shifts import Shifts, refit_shifts

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis

LEFT_OUT = "left_out"  # under which a diagnosis remembers it


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """Row k: the fit without quote k; not a number where the quote had no weight anyway."""

    labels: npt.NDArray[np.str_]  # (m,)
    shifts: Shifts  # of the parameters, exact and predicted
    rms: Array  # (m,) root mean square of the others' weighted residuals; with w = 1/y^2 the RMSRE
    press: Array  # (m,) y_k - g_k(theta_(k))
    weighted_press: Array  # (m,) the same times the root of the quote's weight
    cooks_distance: Array  # (m,) not a number without noise
    confidence: Array  # (m,) level of the region at whose edge the fit without the quote is
    has_weight: BoolArray  # (m,) quotes that can be left out
    is_identified: BoolArray  # (m,) whether the others still determine what all quotes did

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be said beside each row; empty where there is nothing."""
        return tuple(self._mark(k) for k in range(len(self.labels)))

    def _mark(self, k: int) -> str:
        if not self.has_weight[k]:
            return "no weight"
        lost = [] if self.is_identified[k] else ["not identified without it"]
        return ", ".join(lost + self.shifts.remarks(k))

    @property
    def columns(self) -> dict[str, Any]:
        """Of the frame, (m,) each."""
        shifts = self.shifts
        return {
            **dict(zip(shifts.specs.names, shifts.refitted.T, strict=True)),
            "rms": self.rms,
            "press": self.press,
            "cooks_distance": self.cooks_distance,
            "confidence": self.confidence,
            "error_gauss_newton": shifts.error("gauss_newton"),
            "error_exact": shifts.error("exact"),
            "mark": self.marks,
        }

    def frame(self) -> "pd.DataFrame":
        """One row per quote: shifts of the parameters, the errors of their predictions, marks.

        Returns
        -------
        pd.DataFrame
            quotes by shifts
        """
        import pandas as pd

        return pd.DataFrame(self.columns, index=self.labels)


def leave_one_out(dx: "Diagnosis") -> LeaveOneOut:
    """Fit again without each quote.

    Predictions hold parameters at active bounds in every mode: an optimum cannot move there.
    """
    problem, forced = dx.problem, dx.settings.forced_leverage
    assert problem.observed is not None
    m, w = len(problem.weights), problem.weights
    has_weight, count = w > 0, int((w > 0).sum())
    others = np.tile(w, (m, 1))
    np.fill_diagonal(others, 0.0)
    plain, curved = first_order(dx, "gauss_newton"), first_order(dx, "exact")
    shifts = refit_shifts(
        dx,
        np.tile(problem.observed, (m, 1)),
        others,
        plain.shift_without(forced),
        curved.shift_without(forced),
        has_weight & (count > 1),
        is_nearby=True,
    )
    press = problem.observed - np.diagonal(shifts.fitted)
    p, left = dx.geometry.parameter_count, int(dx.scales.degrees_of_freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = shifts.objective + w * press**2 - (problem.weighted_residuals**2).sum()
        distance = np.maximum(rise, 0.0) / (p * dx.scales.mse**2)
    return LeaveOneOut(
        problem.labels,
        shifts,
        np.sqrt(shifts.objective / max(count - 1, 1)),
        press,
        problem.root_weights * press,
        distance,
        fdtr(p, left, distance) if left > 0 else np.full(m, np.nan),
        has_weight,
        (plain.leverage < forced) & (count - 1 >= problem.is_free.sum()),
    )
