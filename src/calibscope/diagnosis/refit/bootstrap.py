r"""Bootstrap: how parameters scatter when the fit is repeated on simulated quotes.

.. math:: y^* = g(\hat\theta) + W^{-1/2} \varepsilon, \qquad
    \theta^* = \arg\min \sum_k w_k\,(y_k^* - g_k(\theta))^2

with the weights of the fit. *Parametric* noise is normal with one of the scales of
`uncertainty.py`, or known. *Residual* noise is drawn from the residuals of the fit, which leverage
has shrunk: :math:`e_k / \sqrt{1 - h_{kk}}`, centred (Davison and Hinkley 1997, section 6.2.3);
quotes with leverage 1 have no residual and are not drawn from. Intervals are percentiles. They need
no straight lines and no transformation, and end at the bounds by themselves; they share with all
bootstraps that the best fit stands in for the truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.parameters import bound_marks
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.intervals import Intervals, checked_levels
from calibscope.diagnosis.linear.uncertainty import BID_ASK, DEFAULT_SCALE, Noise
from calibscope.diagnosis.refit.refit import required, sum_of_squares

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis
    from calibscope.diagnosis.linear.identification import Identification

Kind = Literal["parametric", "residual"]

SIZE, SEED = 1000, 20160901


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bootstrap:
    """n refits to simulated quotes; not a number where the noise has no scale."""

    problem: LeastSquares
    identification: "Identification"  # what the fit left open
    kind: Kind
    scale: Noise | None  # of parametric noise
    seed: int
    parameters: Array  # (n, p)
    objectives: Array  # (n,) weighted sums of squares
    is_perfect: BoolArray  # the residuals of the fit are rounding

    def __repr__(self) -> str:
        noise = f"{self.kind}, scale {self.scale}" if self.scale else self.kind
        return f"Bootstrap({noise}: {len(self.parameters):,} refits, seed {self.seed})"

    @property
    def standard_errors(self) -> Array:
        """(p,) standard deviations of the refits.

        sqrt(sum (theta* - mean)^2 / (n - 1)) (Davison and Hinkley, 1997, chapter 2).
        """
        return np.asarray(self.parameters.std(axis=0, ddof=1))

    @property
    def share_at_lower(self) -> Array:
        """(p,) share of the refits that end at the lower bound.

        mean(theta* <= lower) (the bootstrap of Davison and Hinkley, 1997).
        """
        return np.asarray((self._at_bound < 0).mean(axis=0))

    @property
    def share_at_upper(self) -> Array:
        """(p,) share of the refits that end at the upper bound.

        mean(theta* >= upper) (the bootstrap of Davison and Hinkley, 1997).
        """
        return np.asarray((self._at_bound > 0).mean(axis=0))

    @property
    def _at_bound(self) -> Indices:
        return bound_marks(self.parameters, self.problem.lower, self.problem.upper)

    def intervals(self, level: float | Sequence[float] = 0.95) -> Intervals:
        """Percentile intervals, at one level or at several.

        A parameter at a bound has an interval too, on the side where it can move. None collapses
        where rank was lost: refits go along directions that a decomposition drops.

        Source: Davison and Hinkley (1997), section 5.3.

        Parameters
        ----------
        level : one, or several, which then come first

        Returns
        -------
        Intervals
            percentiles (1 - level)/2 and (1 + level)/2
        """
        problem, levels = self.problem, checked_levels(level)
        tails = 0.5 * (1.0 - levels)
        low, high = (np.quantile(self.parameters, tail, axis=0) for tail in (tails, 1.0 - tails))
        return Intervals(
            problem.specs,
            float(levels) if levels.ndim == 0 else tuple(levels.tolist()),
            self.scale,
            "bootstrap",
            problem.values,
            self.standard_errors,
            low,
            high,
            low <= problem.lower,
            high >= problem.upper,
            problem.at_bound,
            ~problem.is_movable,
            self.identification.is_identified,
            np.zeros(len(problem.values), dtype=bool),
            np.zeros(len(problem.values), dtype=bool),
            self.is_perfect,
            np.ones(low.shape, dtype=bool),
            np.full(low.shape, np.nan),
            np.zeros(low.shape, dtype=bool),
        )

    def frame(self) -> "pd.DataFrame":
        """One row per refit: parameters and objective.

        Returns
        -------
        pd.DataFrame
            refits by parameters
        """
        import pandas as pd

        table = pd.DataFrame(self.parameters, columns=list(self.problem.specs.names))
        return table.assign(objective=self.objectives)


def bootstrap(
    dx: "Diagnosis",
    kind: Kind = "parametric",
    size: int = SIZE,
    seed: int = SEED,
    scale: Noise = DEFAULT_SCALE,
) -> Bootstrap:
    """Fit again to simulated quotes.

    Parameters
    ----------
    kind : "parametric" (normal noise), or "residual" (noise drawn from the residuals)
    size : how many
    seed : the same one gives the same refits
    scale : of parametric noise
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind is {kind!r}; {choose_from(get_args(Kind), kind)}")
    if size < 2:
        raise ValueError(f"size is {size}; give 2 or more, 1000 for intervals at 95 %")
    refit, problem = required(dx.refit), dx.problem
    assert problem.observed is not None
    shape, rng = (size, len(problem.weights)), np.random.default_rng(seed)
    if kind == "parametric":
        spreads = dx.problem.weighted_half_spreads if scale == BID_ASK else dx.noise(scale)
        noise = spreads * rng.standard_normal(shape)
    else:
        pool = _loose_residuals(dx)
        noise = rng.choice(pool, shape) if pool.size else np.full(shape, np.nan)
    parameters, objectives = np.full((size, len(problem.values)), np.nan), np.full(size, np.nan)
    if np.isfinite(noise).all():
        roots = np.where(problem.weights > 0, problem.root_weights, np.inf)
        quotes = problem.observed - problem.residuals + noise / roots
        weights = np.broadcast_to(problem.weights, shape)
        starts = np.broadcast_to(problem.values, parameters.shape)
        parameters = refit.solve(quotes, weights, starts=starts)
        objectives = sum_of_squares(refit.predict(parameters), quotes, weights)
    named = scale if kind == "parametric" else None
    return Bootstrap(
        problem, dx.identification, kind, named, seed, parameters, objectives, dx.flags.is_perfect
    )


def _loose_residuals(dx: "Diagnosis") -> Array:
    """Weighted residuals as large as noise: over sqrt(1 - h), and with mean zero."""
    is_loose = (dx.problem.weights > 0) & (dx.leverage < dx.settings.forced_leverage)
    pool = dx.problem.weighted_residuals[is_loose] / np.sqrt(1.0 - dx.leverage[is_loose])
    return np.asarray(pool - pool.mean()) if pool.size else pool
