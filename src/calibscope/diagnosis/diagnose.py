"""`cs.diagnose` and `cs.diagnose_many`: the diagnosis of G2++ fitted to caps."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.calibrate import Fits
from calibscope.calibration.coordinates import scale, scaled
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnoses import Diagnoses
from calibscope.diagnosis.diagnosis import Diagnosis, Mode
from calibscope.diagnosis.examine import examine
from calibscope.diagnosis.least_squares import LeastSquares, Words
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.diagnosis.stack import day_of
from calibscope.market.maturity import label
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import CapValues, evaluate
from calibscope.models.g2.parameters import PARAMETERS

WORDS = Words(
    PARAMETERS, ("log", "log", "log", "log", "arctanh"), quotes="quotes", outputs="prices"
)
USUAL = DiagnosisSettings()


def diagnose(fit: Fit, mode: Mode = "full", settings: DiagnosisSettings = USUAL) -> Diagnosis:
    """Say how far a calibration can be trusted.

    The rank is judged on W^(1/2) J in the parameters as they are, as in the paper. An anchor counts
    as five more quotes, those of the parameters' logarithms.

    Parameters
    ----------
    mode : "full" (the paper's), or "strict": parameters at active bounds are held fixed
    settings : thresholds

    Examples
    --------
    >>> from calibscope.calibration.calibrate import calibrate
    >>> from calibscope.market.demo import demo_market
    >>> dx = diagnose(calibrate(demo_market().day("2020-03-18")))
    >>> dx.edof, dx.leverage.round(2).tolist()[:3]
    (5, [0.98, 0.6, 0.34])
    """
    if not isinstance(fit, Fit):
        raise TypeError(f"expected a Fit, as cs.calibrate returns it, got a {type(fit).__name__}")
    problem, point = fit.problem, fit.parameters.values
    values = problem.values(point, order=2)
    stack = examine(_least_squares([problem], point[None], values), mode, settings, "natural")
    return day_of(stack, 0)


def diagnose_many(
    fits: Fits | Sequence[Fit],
    mode: Mode = "full",
    settings: DiagnosisSettings = USUAL,
    threads: int | None = None,
) -> Diagnoses:
    """Diagnose every fit of a panel; the same numbers as `diagnose`, computed together.

    Parameters
    ----------
    fits : of `calibrate_many`, or any
    mode, settings : as for `diagnose`
    threads : how many to use for prices and derivatives; None means all cores
    """
    if not len(fits):
        raise ValueError("there are no fits; give at least one")
    if isinstance(fits, Fits):
        problems, points = list(fits.problems), fits.parameters
    else:
        problems = [fit.problem for fit in fits]
        points = np.array([fit.parameters.values for fit in fits])
    groups: dict[tuple[int, bool], list[int]] = {}
    for day, problem in enumerate(problems):
        groups.setdefault((len(problem.day.prices), _is_pulled(problem)), []).append(day)
    stacks, stack_of, place_of = [], np.empty(len(fits), np.int64), np.empty(len(fits), np.int64)
    for number, days in enumerate(groups.values()):
        chosen = [problems[day] for day in days]
        book = CapBook.from_days([problem.day for problem in chosen])
        values = evaluate(points[days], book, order=2, threads=threads)
        stack = _least_squares(chosen, points[days], values)
        stacks.append(examine(stack, mode, settings, "natural"))
        stack_of[days], place_of[days] = number, np.arange(len(days))
    return Diagnoses(tuple(stacks), stack_of, place_of)


def _least_squares(problems: Sequence[Problem], points: Array, values: CapValues) -> LeastSquares:
    """Problems with equally many quotes, all with or all without an anchor, at their fits."""
    n, p = points.shape
    observed = np.array([problem.day.prices for problem in problems])
    weights = np.array([problem.weights for problem in problems])
    fitted = values.prices.reshape(n, -1)
    jacobian, hessian = values.jacobian.reshape(n, -1, p), values.hessian.reshape(n, -1, p, p)
    plain = LeastSquares(
        observed - fitted,
        jacobian,
        weights,
        np.einsum("nk,nkpq->npq", weights * (fitted - observed), hessian),
        observed,
        points,
        np.array([problem.lower for problem in problems]),
        np.array([problem.upper for problem in problems]),
        np.array([_labels(tuple(problem.day.maturities.tolist())) for problem in problems]),
        WORDS,
    )
    return _with_anchor(plain, problems) if _is_pulled(problems[0]) else plain


@lru_cache(maxsize=256)
def _labels(maturities: tuple[float, ...]) -> tuple[str, ...]:
    return tuple(label(year) for year in maturities)


def _is_pulled(problem: Problem) -> bool:
    return bool(problem.task.strength.any())


def _with_anchor(plain: LeastSquares, problems: Sequence[Problem]) -> LeastSquares:
    """The pull of an anchor as five more quotes, of q = (log a, log sigma, rho)."""
    points = plain.values
    strengths = np.array([problem.task.strength for problem in problems])
    wanted = np.array([problem.task.anchor for problem in problems])
    missed = wanted - np.array([scaled(point) for point in points])
    slopes = np.array([1.0 / scale(point) for point in points])
    is_log = np.array([transform == "log" for transform in WORDS.transforms])
    bends = strengths * missed * np.where(is_log, slopes**2, 0.0)  # -r times -1/p^2
    rows = np.eye(len(PARAMETERS)) * slopes[:, None, :]
    pulls = np.broadcast_to([f"anchor of {name}" for name in PARAMETERS], missed.shape)
    assert plain.bend is not None
    assert plain.observed is not None
    return replace(
        plain,
        residuals=np.hstack((plain.residuals, missed)),
        jacobian=np.concatenate((plain.jacobian, rows), axis=1),
        weights=np.hstack((plain.weights, strengths)),
        bend=plain.bend + np.eye(len(PARAMETERS)) * bends[:, None, :],
        observed=np.hstack((plain.observed, wanted)),
        labels=np.hstack((plain.labels, pulls)),
    )
