r"""Bumps: each quote moved alone, and everything fitted again.

With weights fixed, the first-order answer is the sensitivity times the move. But quotes that move
take their weights along: with w = 1/y^2 the recalibration of a desk is *reweighted*. The derivative
of the weights then enters,

.. math:: d\theta = B^{-1} J^T (W\,dy + dW\,r),

and with w = 1/y^2 quote k pulls by w_k (1 - 2 r_k / y_k) dy_k instead of w_k dy_k. Both questions
have refits here, beside their predictions (`first_order.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array
from calibscope.diagnosis.linear.first_order import first_order, weight_slopes
from calibscope.diagnosis.refit.refit import required
from calibscope.diagnosis.refit.shifts import Shifts, refit_shifts

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True, eq=False)
class Bumps:
    """One refit per size and quote, sizes first: row i of `shifts` moves quote `place[i]`."""

    labels: npt.NDArray[np.str_]  # (m,)
    size: Array  # (n,) as they were given
    place: npt.NDArray[np.int64]  # (n,) which quote
    move: Array  # (n,) what was added to it
    is_reweighted: bool
    shifts: Shifts

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be said beside each row; empty where there is nothing."""
        return tuple(", ".join(self.shifts.remarks(i)) for i in range(len(self.size)))

    def frame(self) -> "pd.DataFrame":
        """One row per size and quote: shifts, the errors of their predictions, marks.

        Returns
        -------
        pd.DataFrame
            sizes and quotes by shifts
        """
        import pandas as pd

        shifts = self.shifts
        index = pd.MultiIndex.from_arrays(
            (self.size, self.labels[self.place]), names=("size", "quote")
        )
        table = pd.DataFrame(shifts.refitted, index=index, columns=list(shifts.specs.names))
        return table.assign(
            error_gauss_newton=shifts.error("gauss_newton"),
            error_exact=shifts.error("exact"),
            mark=self.marks,
        )


def bump(
    dx: "Diagnosis",
    sizes: float | Sequence[float] = 1e-4,
    reweighted: bool = False,
    relative: bool = True,
) -> Bumps:
    """Move each quote alone and fit again.

    Parameters
    ----------
    sizes : of the moves, one or several
    reweighted : whether weights follow the quotes, as `Refit.weigh` says; else they are fixed
    relative : whether sizes are shares of the quotes, or to be added to them
    """
    refit, problem = required(dx.refit), dx.problem
    assert problem.observed is not None
    steps, y = np.atleast_1d(np.asarray(sizes, dtype=float)), problem.observed
    if steps.ndim != 1 or not steps.size or not np.isfinite(steps).all():
        raise ValueError(f"sizes are {sizes!r}; give one or several numbers, such as 1e-4")
    m = len(y)
    size, place = np.repeat(steps, m), np.tile(np.arange(m), len(steps))
    move = size * y[place] if relative else size
    quotes = y + move[:, None] * np.eye(m)[place]
    weights = refit.weigh(quotes) if reweighted else np.tile(problem.weights, (len(quotes), 1))
    slopes = weight_slopes(refit, y) if reweighted else None
    plain, curved = (
        move[:, None] * first_order(dx, form).sensitivity(slopes).T[place]
        for form in ("gauss_newton", "exact")
    )
    asked = np.ones(len(quotes), dtype=bool)
    shifts = refit_shifts(dx, quotes, weights, plain, curved, asked)
    return Bumps(problem.labels, size, place, move, reweighted, shifts)
