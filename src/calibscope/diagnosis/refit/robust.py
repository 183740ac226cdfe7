r"""Robust fits: what the parameters are when large errors count for less.

M-estimates by iteratively reweighted least squares (Huber 1981; Holland and Welsch 1977): fit,
multiply each quote's weight by a robustness weight of its error in units of noise,
:math:`u_k = e_k/\sigma`, fit again, until the weights stand still.

- *Huber*: :math:`\min(1, c/|u|)` with c = 1.345: large errors pull like errors of c;
- *Cauchy*: :math:`1/(1 + (u/c)^2)` with c = 2.385: large errors hardly pull at all.

Both constants give 95 % efficiency under normal noise. The scale stays at `mad_adjusted` of the
plain fit: one objective is minimised, and the iteration cannot chase its own scale. A quote of
leverage near 1 has no error to be seen by, so no M-estimate protects against it: leave it out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array
from calibscope.base.parameters import Specs
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.refit.refit import required

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis

Loss = Literal["huber", "cauchy"]

HUBER, CAUCHY = 1.345, 2.385
MOST_ITERATIONS = 100
STANDSTILL = 1e-9  # change of a robustness weight


@dataclass(frozen=True, slots=True, eq=False)
class Robust:
    """One robust fit; not a number where the noise has no scale."""

    specs: Specs
    labels: npt.NDArray[np.str_]  # (m,)
    loss: Loss
    scale: float  # of the noise
    values: Array  # (p,) the plain fit
    parameters: Array  # (p,)
    robustness: Array  # (m,) weights between 0 and 1
    iterations: int
    is_converged: bool

    @property
    def shift(self) -> Array:
        """(p,) from the plain fit.

        theta_robust - theta (Huber, 1981).
        """
        return np.asarray(self.parameters - self.values)

    def frame(self) -> "pd.DataFrame":
        """One row per parameter: plain and robust.

        Returns
        -------
        pd.DataFrame
            plain, robust and shift
        """
        import pandas as pd

        columns = {"plain": self.values, self.loss: self.parameters, "shift": self.shift}
        return pd.DataFrame(columns, index=list(self.specs.names))


def robust(dx: "Diagnosis", loss: Loss = "huber") -> Robust:
    """Fit again with a robust loss.

    Parameters
    ----------
    loss : "huber", or "cauchy", which may have several minima; the one near the plain fit is found
    """
    if loss not in get_args(Loss):
        raise ValueError(f"loss is {loss!r}; {choose_from(get_args(Loss), loss)}")
    refit, problem, scale = required(dx.refit), dx.problem, float(dx.scale_mad_adjusted)
    assert problem.observed is not None
    nothing = np.full_like(problem.weights, np.nan)
    parameters, robustness = np.full_like(problem.values, np.nan), nothing
    iterations, is_converged = 0, False
    if scale > 0:
        quotes, parameters = problem.observed[None], problem.values
        robustness = robustness_weights(problem.weighted_residuals / scale, loss)
        while iterations < MOST_ITERATIONS and not is_converged:
            iterations += 1
            weights = problem.weights * robustness
            parameters = refit.solve(quotes, weights[None], starts=parameters[None])[0]
            errors = problem.root_weights * (quotes - refit.predict(parameters[None]))[0]
            before, robustness = robustness, robustness_weights(errors / scale, loss)
            is_converged = bool(np.abs(robustness - before).max() <= STANDSTILL)
    return Robust(
        problem.specs,
        problem.labels,
        loss,
        scale,
        problem.values,
        parameters,
        robustness,
        iterations,
        is_converged,
    )


def robustness_weights(u: Array, loss: Loss) -> Array:
    """Huber's or Cauchy's weights of errors in units of noise."""
    if loss == "huber":
        return np.asarray(HUBER / np.maximum(np.abs(u), HUBER))
    return np.asarray(1.0 / (1.0 + (u / CAUCHY) ** 2))
