r"""Leave-one-out: what the parameters are without each quote, fitted again.

.. math:: \theta_{(k)} = \arg\min \sum_{l \ne k} w_l\,(y_l - g_l(\theta))^2

with the weights of the others as they were. `dfbeta` and Cook's distance predict this from one
decomposition; here is the truth, the two predictions beside it (`first_order.py`), and how well the
rest of the quotes predict the one that was left out, :math:`y_k - g_k(\theta_{(k)})`: its PRESS
residual (Allen, 1974), which leverage does not shrink.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.linear.first_order import first_order
from calibscope.diagnosis.refit.shifts import Shifts, refit_shifts

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """Row k: the fit without quote k; not a number where the quote had no weight anyway."""

    labels: npt.NDArray[np.str_]  # (m,)
    shifts: Shifts  # of the parameters, exact and predicted
    rms: Array  # (m,) root mean square of the others' weighted residuals; with w = 1/y^2 the RMSRE
    press: Array  # (m,) y_k - g_k(theta_(k))
    weighted_press: Array  # (m,) the same times the root of the quote's weight
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

    def frame(self) -> "pd.DataFrame":
        """One row per quote: shifts of the parameters, the errors of their predictions, marks.

        Returns
        -------
        pd.DataFrame
            quotes by shifts
        """
        import pandas as pd

        shifts = self.shifts
        table = pd.DataFrame(shifts.refitted, index=self.labels, columns=list(shifts.specs.names))
        return table.assign(
            rms=self.rms,
            press=self.press,
            error_gauss_newton=shifts.error("gauss_newton"),
            error_exact=shifts.error("exact"),
            mark=self.marks,
        )


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
    )
    press = problem.observed - np.diagonal(shifts.fitted)
    return LeaveOneOut(
        problem.labels,
        shifts,
        np.sqrt(shifts.objective / max(count - 1, 1)),
        press,
        problem.root_weights * press,
        has_weight,
        (plain.leverage < forced) & (count - 1 >= problem.is_free.sum()),
    )
