r"""What the uncertainty of parameters means for the numbers that are made from them.

A quantity q follows from the parameters. Three answers to how well it is known, beside each other:

- the delta method, with the covariance of the diagnosis and on a scale on which q is roughly
  normal, eta = log for positive numbers, logit for probabilities, the identity for others:

  .. math:: \eta^{-1}\bigl(\eta(\hat q) \pm t\,|\eta'(\hat q)|\,\hat{se}\bigr), \qquad
      \hat{se}^2 = \nabla q^T\,\widehat{Cov}\,\nabla q;

- the bootstrap, if there are replicates of the parameters: the quantiles of q over them;
- the near-optimal set: the smallest and the largest q among fits that the quotes allow at the
  level, Q up to the limit of a profile (`refit/profile.py`). It is the profile interval of q: it
  says what a choice between fits decides that nobody can see in prices. Only fits that were found
  count, so the true range may be wider, never shorter.

Zero variance is not precision here either. A quantity is "not identified" if more than a threshold
of its gradient, in scaled coordinates and squared, is along directions that were dropped; its
interval has "collapsed" if it is shorter than the way q goes when the dropped combination moves by
one e-fold (`intervals.py` says the same of parameters). A parameter at its bound cannot move both
ways: the mode either holds it there, or takes it as if it could leave, and the mark says which.
Neither is a promise of coverage.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from calibscope.base.arrays import Array, ArrayLike, BoolArray
from calibscope.base.measures import Measure, Quantities, Transform
from calibscope.diagnosis.linear.intervals import ROUNDING, checked_levels, is_point, quantile
from calibscope.diagnosis.linear.uncertainty import DEFAULT_SCALE, Form, Noise
from calibscope.diagnosis.propagate.consequences_summary import summary_of
from calibscope.diagnosis.propagate.quantities import Alternatives
from calibscope.diagnosis.refit.profile import limit_at

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.diagnosis.diagnosis import Diagnosis

Search = Callable[[Array, Quantities, float], Alternatives]

UNTOLD = 1e3  # upper end over lower one of an interval that is uninformative
LARGEST = 700.0  # exponent of a finite double


@dataclass(frozen=True, slots=True)
class Materiality:
    """From where on two fits have different consequences, by the scale of the quantity."""

    share: float = 0.10  # of positive numbers: prices, standard deviations
    probability: float = 0.05  # five percentage points
    difference: float = 0.001  # of numbers of either sign: 10 bp of a rate

    def of(self, transform: Transform) -> float:
        """The threshold of one scale.

        A range is material where high / low - 1 or high - low exceeds it; the defaults are ours, no
        paper's.

        Parameters
        ----------
        transform : of a quantity: "log", "logit" or "identity"

        Returns
        -------
        float
            a share, a probability or a difference
        """
        limits = {"log": self.share, "logit": self.probability, "identity": self.difference}
        return limits[transform]


USUAL = Materiality()


@dataclass(frozen=True, slots=True, eq=False)
class Consequences:
    """Of q quantities, p parameters and k fits that are nearly as good, the fit among them."""

    labels: tuple[str, ...]  # (q,)
    measures: tuple[Measure, ...]  # (q,)
    names: tuple[str, ...]  # (p,) of the parameters
    level: float
    scale: Noise
    form: Form
    estimates: Array  # (q,)
    standard_errors: Array  # (q,) by the delta method
    low: Array  # (q,) of the delta method; not a number where there is no interval
    high: Array  # (q,)
    is_identified: BoolArray  # (q,)
    is_collapsed: BoolArray  # (q,) too short, because rank was lost
    marks: tuple[str, ...]  # (q,) what must be said beside each delta interval
    bootstrap_low: Array  # (q,) not a number without replicates
    bootstrap_high: Array  # (q,)
    points: Array  # (k, p) the fits that are nearly as good
    point_values: Array  # (k, q) and what follows from them
    factor: float  # of the best error, within which they stay; not a number if none is known
    error: str  # what stays within the factor
    materiality: Materiality
    has_strong_curvature: bool  # the delta method takes for straight what bends

    def __repr__(self) -> str:
        return f"Consequences({len(self.labels)} quantities: {self.summary})"

    @property
    def has_bootstrap(self) -> bool:
        """Whether replicates were given."""
        return not np.isnan(self.bootstrap_low).all()

    @property
    def has_near_optimal(self) -> bool:
        """Whether fits are known that are nearly as good."""
        return len(self.points) > 0

    @property
    def near_optimal_low(self) -> Array:
        r"""(q,) the smallest value among fits that are nearly as good.

        :math:`\min_\theta z(\theta)` over :math:`Q(\theta) \le Q_{\min} + \sigma^2 q^2`, the
        limit of a profile at the level (Bates and Watts, 1988, section 6.1).
        """
        values = self.point_values
        return values.min(axis=0) if self.has_near_optimal else np.full_like(self.low, np.nan)

    @property
    def near_optimal_high(self) -> Array:
        r"""(q,) the largest.

        :math:`\max_\theta z(\theta)` over the same fits (Bates and Watts, 1988, section 6.1).
        """
        values = self.point_values
        return values.max(axis=0) if self.has_near_optimal else np.full_like(self.high, np.nan)

    @property
    def contrast(self) -> Array:
        """(q,) range over the near-optimal set, in units of materiality: above 1, fits differ.

        (high / low - 1) / threshold on a log scale, else (high - low) / threshold; the idea of fits
        of the same quality that differ is Cont's (2006).
        """
        low, high = self.near_optimal_low, self.near_optimal_high
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(high > 0, high / low - 1.0, 0.0)
        is_log = np.array([measure.transform == "log" for measure in self.measures])
        limits = np.array([self.materiality.of(measure.transform) for measure in self.measures])
        return np.asarray(np.where(is_log, shares, high - low) / limits)

    @property
    def summary(self) -> str:
        """Plain sentences on fits that look alike and differ, and on what to make of intervals."""
        return summary_of(self)

    def frame(self) -> "pd.DataFrame":
        """A table with one row per quantity; all numbers are decimals.

        Returns
        -------
        pd.DataFrame
            value, intervals, range over nearly equal fits, marks
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "measure": [measure.name for measure in self.measures],
                "estimate": self.estimates,
                "standard_error": self.standard_errors,
                "low": self.low,
                "high": self.high,
                "bootstrap_low": self.bootstrap_low,
                "bootstrap_high": self.bootstrap_high,
                "near_optimal_low": self.near_optimal_low,
                "near_optimal_high": self.near_optimal_high,
                "mark": self.marks,
            },
            index=pd.Index(self.labels, name="quantity"),
        )


def consequences(
    dx: "Diagnosis",
    quantities: Quantities,
    nearly_as_good: Search | None = None,
    replicates: ArrayLike | None = None,
    level: float = 0.95,
    scale: Noise = DEFAULT_SCALE,
    form: Form = "gauss_newton",
    materiality: Materiality = USUAL,
) -> Consequences:
    """Carry the uncertainty of parameters over to what follows from them.

    Parameters
    ----------
    nearly_as_good : finds fits up to a limit of the objective; None leaves out their set
    replicates : (n, p) parameters of a bootstrap
    level : of the intervals, and of the limit of the near-optimal set
    scale, form : of the covariance, as for `Diagnosis.covariance`
    materiality : from where on two fits count as different
    """
    problem, theta = dx.problem, dx.problem.values
    if np.isnan(theta).any():
        raise ValueError("there are no parameter values; give values= to get consequences")
    if checked_levels(level).ndim:
        raise ValueError(f"level is {level!r}; give one number, such as 0.95")
    draws = None if replicates is None else _checked_replicates(replicates, theta.size, level)
    estimates, G = quantities.values(theta[None, :])[0], quantities.gradients(theta)
    errors = np.sqrt(np.maximum(np.vecdot(G @ dx.covariance(scale, form), G), 0.0))
    is_normal = dx.settings.normal_quantiles
    steps = errors * quantile(level, scale, dx.scales.degrees_of_freedom, is_normal)
    transforms = [measure.transform for measure in quantities.measures]
    low, high = (
        np.array([_stepped(*one) for one in zip(estimates, side * steps, transforms, strict=True)])
        for side in (-1.0, 1.0)
    )
    is_identified, is_collapsed = _identified(dx, G, steps)
    tail = 0.5 * (1.0 - level)
    missing = np.full_like(estimates, np.nan)
    low_end, high_end = (
        (missing, missing)
        if draws is None
        else np.quantile(quantities.values(draws), (tail, 1.0 - tail), axis=0)
    )
    others, limit = None, limit_at(dx, level, scale)
    if nearly_as_good is not None and np.isfinite(limit):
        others = nearly_as_good(theta, quantities, limit)
    points = np.empty((0, theta.size)) if others is None else others.points
    return Consequences(
        labels=quantities.labels,
        measures=quantities.measures,
        names=problem.specs.names,
        level=float(level),
        scale=scale,
        form=form,
        estimates=estimates,
        standard_errors=errors,
        low=low,
        high=high,
        is_identified=is_identified,
        is_collapsed=is_collapsed,
        marks=_marks(dx, G, low, high, is_identified, is_collapsed),
        bootstrap_low=low_end,
        bootstrap_high=high_end,
        points=points,
        point_values=quantities.values(points) if len(points) else np.empty((0, estimates.size)),
        factor=np.nan if others is None else others.factor,
        error="" if others is None else others.error,
        materiality=materiality,
        has_strong_curvature=bool(dx.flags.has_strong_curvature),
    )


def _checked_replicates(replicates: ArrayLike, p: int, level: float) -> Array:
    draws = np.asarray(replicates, dtype=float)
    fewest = int(np.ceil(2.0 / (1.0 - level) - 1e-9))  # so that a replicate is beyond each end
    if draws.ndim != 2 or draws.shape[1] != p or not np.isfinite(draws).all():
        raise ValueError(f"replicates have shape {draws.shape}; give finite numbers, (n, {p})")
    if len(draws) < fewest:
        raise ValueError(f"there are {len(draws)} replicates; a level of {level} needs {fewest}")
    return draws


def _stepped(value: float, step: float, transform: Transform) -> float:
    """eta^-1(eta(value) + eta'(value) step); not a number where eta is infinite."""
    if transform == "log":
        return float(value * np.exp(min(step / value, LARGEST))) if value > 0 else np.nan
    if transform == "logit":
        slope = value * (1.0 - value)
        return float(expit(logit(value) + step / slope)) if slope > 0 else np.nan
    return value + step


def _identified(dx: "Diagnosis", G: Array, steps: Array) -> tuple[BoolArray, BoolArray]:
    """Which quantities do not depend on what was dropped, and whose interval is too short."""
    scaled = np.where(dx.geometry.is_active, G * dx.problem.coordinate_scale, 0.0)
    open_way = np.linalg.norm(scaled @ dx.identification.directions, axis=1)
    size = np.linalg.norm(scaled, axis=1)
    is_identified = ~(open_way**2 > dx.settings.unidentified_share * size**2)
    return is_identified, (open_way > steps) & (open_way > ROUNDING * size)


def _marks(
    dx: "Diagnosis",
    G: Array,
    low: Array,
    high: Array,
    is_identified: BoolArray,
    is_collapsed: BoolArray,
) -> tuple[str, ...]:
    problem = dx.problem
    marks = []
    for q in range(len(low)):
        moves = (problem.at_bound != 0) & (G[q] != 0)
        said = []
        if np.isnan(low[q]) or np.isnan(high[q]):
            said.append("no interval")
        if not is_identified[q]:
            said.append("not identified")
        elif is_collapsed[q]:
            said.append("collapsed (rank lost)")
        elif not np.isnan(low[q]) and (dx.flags.is_perfect or is_point(low[q], high[q])):
            said.append("no noise")
        elif 0 < low[q] < high[q] / UNTOLD:
            said.append("is uninformative")
        for words, which in (
            ("{} held at the bound", moves & dx.is_held),
            ("as if {} could leave the bound", moves & ~dx.is_held),
        ):
            if which.any():
                names = [problem.specs.names[p] for p in np.flatnonzero(which)]
                said.append(words.format(" and ".join(names)))
        marks.append(", ".join(said))
    return tuple(marks)
