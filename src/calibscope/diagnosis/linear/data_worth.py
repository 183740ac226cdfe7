r"""Data worth: what each quote, present or not, does for the precision of the parameters.

First-order: nothing is fitted again. The factors are those of the linearised fit, with derivatives
at the parameters of today; a quote that comes or goes would move these too.

The variances of the parameters are the diagonal of :math:`\sigma^2 (A^T A)^{-1}`. Without row k of
A they grow, with one more row they shrink; the noise is kept, so the factors depend on derivatives
and weights alone, not on what the quotes say (the design of experiments; Pázman 1986). Each case
has a decomposition of its own: the rank-one update of an inverse would lose its digits just where a
quote decides a direction alone.

A factor is infinite where a parameter is no longer identified without the quote, and zero where it
becomes so with it: a direction was lost or won, and the parameter has a part in it. It is not a
number for parameters that are held, or open either way.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array
from calibscope.base.numbers import counted
from calibscope.base.parameters import Specs
from calibscope.diagnosis.linear.geometry import geometry
from calibscope.diagnosis.linear.identification import identification

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis

PART = 1e-8  # squared length of a unit vector in what was lost or won: less is rounding


@dataclass(frozen=True, slots=True, eq=False)
class CandidateQuotes:
    """Quotes that could be had: c rows of a Jacobian."""

    labels: npt.NDArray[np.str_]  # (c,)
    jacobian: Array  # (c, p)
    weights: Array  # (c,) one over the variance of the noise, in the units of the fit's weights


@dataclass(frozen=True, slots=True, eq=False)
class DataWorth:
    """Factors of the variances: without each quote (from 1 up), or with each candidate (down).

    A linear approximation, not a refit.
    """

    specs: Specs
    labels: npt.NDArray[np.str_]  # (n,)
    factors: Array  # (n, p)
    method: ClassVar[str] = "linear (first-order), not a refit"

    def __repr__(self) -> str:
        return f"DataWorth({counted(len(self.labels), 'quote')}, {self.method})"

    def frame(self) -> "pd.DataFrame":
        """One row per quote; `frame.attrs["method"]` says that the factors are linear.

        Returns
        -------
        pd.DataFrame
            quotes by parameters, the columns under the heading "variance factor, linear"
        """
        import pandas as pd

        columns = pd.Index(self.specs.names, name="variance factor, linear")
        table = pd.DataFrame(self.factors, index=self.labels, columns=columns)
        table.attrs["method"] = self.method
        return table


def data_worth(dx: "Diagnosis", candidates: CandidateQuotes | None = None) -> DataWorth:
    """By which factor variances grow without each quote, or shrink with each candidate.

    Parameters
    ----------
    candidates : quotes that the fit does not have; None means the worth of those it has
    """
    A, specs = dx.problem.design, dx.problem.specs
    if candidates is None:
        # A row of zeros is a quote that is not there.
        others = np.tile(A, (len(A), 1, 1)) * (1.0 - np.eye(len(A)))[:, :, None]
        return DataWorth(specs, dx.problem.labels, _factors(dx, others))
    J = np.asarray(candidates.jacobian, dtype=float)
    if J.ndim != 2 or J.shape != (len(candidates.weights), A.shape[1]):
        raise ValueError(
            f"candidates have a jacobian of shape {J.shape} and {len(candidates.weights)} weights; "
            f"give (c, {A.shape[1]}) and (c,)"
        )
    rows = np.sqrt(candidates.weights)[:, None] * J
    more = np.concatenate((np.tile(A, (len(rows), 1, 1)), rows[:, None, :]), axis=1)
    return DataWorth(specs, candidates.labels, _factors(dx, more))


def _factors(dx: "Diagnosis", designs: Array) -> Array:
    """(n, p) variances under other designs (n, rows, p) over those of the fit."""
    own, settings, scale = dx.geometry, dx.settings, dx.problem.coordinate_scale
    shape = (len(designs), len(scale))
    is_active = np.broadcast_to(own.is_active, shape)
    columns = np.broadcast_to(own.column_scale, shape)
    other = geometry(designs, is_active, settings.rank_tolerance, columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = (other.deviations / own.deviations) ** 2
    now = dx.identification.shares
    then = identification(other, np.broadcast_to(scale, shape), settings.unidentified_share).shares
    change = then - now
    gained = np.asarray(other.rank - own.rank)[:, None]
    is_lost, is_won = (gained < 0) & (change > PART), (gained > 0) & (change < -PART)
    is_open = (now > settings.unidentified_share) & ~is_won
    factors[is_won] = 0.0
    factors[is_lost] = np.inf
    factors[is_open | ~is_active] = np.nan
    return np.asarray(factors)
