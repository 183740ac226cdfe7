"""`cs.diagnose` and `cs.diagnose_many`: the diagnosis of a calibrated model."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array
from calibscope.base.parameters import Specs
from calibscope.calibration.calibrate import Fits
from calibscope.calibration.problem import Problem
from calibscope.calibration.refit import ModelRefit
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.batch import Batch, finished
from calibscope.diagnosis.diagnoses import Diagnoses
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.examine import examine
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.settings import DiagnosisSettings, Mode, diagnosis_settings
from calibscope.market.day import MarketDay
from calibscope.models.model import Model, Values

Labels = npt.NDArray[np.str_]


def diagnose(
    fit: Fit,
    mode: Mode | None = None,
    settings: DiagnosisSettings | None = None,
    *,
    preset: str | None = None,
) -> Diagnosis:
    r"""Say how far a calibration can be trusted.

    The rank is judged on W^(1/2) J in the parameters as they are, as in the paper. An anchor counts
    as p more quotes, those of the parameters' scaled coordinates.

    .. math:: H_w = W^{1/2} J\,(J^T W J)^+ J^T W^{1/2}, \qquad \widehat{Cov} = \sigma^2 (J^T W J)^+

    Source: paper, eq. hat_matrix, eq. cov and eq. influence_function.

    Parameters
    ----------
    fit : of `calibrate`
    mode : which parameters are held fixed: "active" those at bounds that hold, whose multiplier is
        more than two of its standard errors from zero; "full" (the paper's) none; "strict" those at
        any bound. None means that of the settings, "active" unless said
    settings : thresholds and defaults
    preset : "paper" diagnoses as the paper does, unless `mode` or `settings` says otherwise: full
        mode, the MAD with normal quantiles, delta intervals also of parameters at a bound

    Returns
    -------
    Diagnosis
        everything that needs no refit, and `refits`

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
    settings = diagnosis_settings(settings, preset)
    problem, point = fit.problem, fit.parameters.values
    day = _least_squares(problem.specs, point, problem.values(point, order=2), *_given(problem))
    parts = examine(day, settings.mode if mode is None else mode, settings, "natural")
    second = partial(_second, problem, point)
    return finished(Diagnosis(**parts, refit=ModelRefit.of(problem, point), second=second))


def diagnose_many(
    fits: Fits | Sequence[Fit],
    mode: Mode | None = None,
    settings: DiagnosisSettings | None = None,
    threads: int | None = None,
    *,
    preset: str | None = None,
) -> Diagnoses:
    """Diagnose every fit of a panel; the same numbers as `diagnose`, computed together.

    H_w = A (A^T A)^+ A^T with A = W^(1/2) J, as in `diagnose` (paper, eq. hat_matrix).

    Parameters
    ----------
    fits : of `calibrate_many`, or any
    mode, settings : as for `diagnose`
    threads : how many to use for prices and derivatives; None means all cores
    preset : as for `diagnose`

    Returns
    -------
    Diagnoses
        in the order of the fits
    """
    if not len(fits):
        raise ValueError("there are no fits; give at least one")
    settings = diagnosis_settings(settings, preset)
    if isinstance(fits, Fits):
        problems, points = list(fits.problems), list(fits.parameters)
    else:
        problems = [fit.problem for fit in fits]
        points = [fit.parameters.values for fit in fits]
    groups: dict[tuple[type[Model], int, bool], list[int]] = {}
    for day, problem in enumerate(problems):
        kind = problem.model, len(problem.day.prices), problem.has_anchor
        groups.setdefault(kind, []).append(day)
    batches, batch_of, place_of = [], np.empty(len(fits), np.int64), np.empty(len(fits), np.int64)
    for number, ((model, *_), days) in enumerate(groups.items()):
        chosen = [problems[day] for day in days]
        at = np.array([points[day] for day in days])
        values = model.evaluate_days([each.day for each in chosen], at, 2, threads)
        given = map(np.array, zip(*map(_given, chosen), strict=True))
        stack = _least_squares(model.specs, at, values, *given)
        batches.append(
            Batch(**examine(stack, settings.mode if mode is None else mode, settings, "natural"))
        )
        batch_of[days], place_of[days] = number, np.arange(len(days))
    refits = tuple(map(ModelRefit.of, problems, points))
    seconds = tuple(map(partial, [_second] * len(problems), problems, points))
    return Diagnoses(tuple(batches), batch_of, place_of, refits, seconds)


def in_mode(diagnoses: Diagnoses, mode: Mode) -> Diagnoses:
    """The same fits in another mode, without pricing them again."""
    batches = tuple(
        Batch(**examine(batch.problem, mode, batch.settings, "natural"))
        for batch in diagnoses.batches
    )
    return replace(diagnoses, batches=batches)


def _least_squares(
    specs: Specs,
    points: Array,
    values: Values,
    observed: Array,
    weights: Array,
    lower: Array,
    upper: Array,
    labels: Labels,
    half_spreads: Array,
    anchor: Array,
    strength: Array,
) -> LeastSquares:
    """A day at its fit, or days with equally many quotes, all with or all without an anchor."""
    plain = LeastSquares(
        observed - values.prices,
        values.jacobian,
        weights,
        np.einsum("...k,...kpq->...pq", weights * (values.prices - observed), values.hessian),
        observed,
        points,
        lower,
        upper,
        labels,
        specs,
        half_spreads,
    )
    return _with_anchor(plain, anchor, strength) if strength.any() else plain


def _given(problem: Problem) -> tuple[Array, Array, Array, Array, Labels, Array, Array, Array]:
    """What the diagnosis takes from a problem, in the order of `_least_squares`."""
    day, task = problem.day, problem.task
    labels = _labels(day.labels)
    return (
        day.prices, problem.weights, problem.lower, problem.upper, labels, _half_spreads(day),
        task.anchor, task.strength,
    )  # fmt: skip


def _half_spreads(day: MarketDay) -> Array:
    """(m,) half of ask less bid; not a number where there are none."""
    if day.bid_ask is None:
        return np.full(len(day.prices), np.nan)
    return np.asarray(0.5 * (day.bid_ask[:, 1] - day.bid_ask[:, 0]))


@lru_cache(maxsize=256)
def _labels(names: tuple[str, ...]) -> Labels:
    return np.array(names)


def _with_anchor(plain: LeastSquares, anchor: Array, strength: Array) -> LeastSquares:
    """The pull of an anchor as p more quotes, of the scaled coordinates."""
    points, scale = plain.values, plain.specs.coordinates
    missed = anchor - scale.of(points)
    slopes = 1.0 / scale.slopes(points)
    second_orders = -strength * missed * _pull_seconds(plain.specs, points)
    each = np.eye(len(plain.specs))
    pulls = np.broadcast_to([f"anchor of {name}" for name in plain.specs.names], missed.shape)
    assert plain.second_order is not None
    assert plain.observed is not None
    assert plain.half_spreads is not None
    # A pull counts as one more quote: its noise is that of a usual one.
    usual = np.sqrt(np.mean(plain.weights * plain.half_spreads**2, axis=-1, keepdims=True))
    spreads = usual / np.sqrt(np.where(strength > 0, strength, 1.0))
    return replace(
        plain,
        residuals=np.concatenate((plain.residuals, missed), axis=-1),
        jacobian=np.concatenate((plain.jacobian, each * slopes[..., None, :]), axis=-2),
        weights=np.concatenate((plain.weights, strength), axis=-1),
        second_order=plain.second_order + each * second_orders[..., None, :],
        observed=np.concatenate((plain.observed, anchor), axis=-1),
        labels=np.concatenate((plain.labels, pulls), axis=-1),
        half_spreads=np.concatenate((plain.half_spreads, spreads), axis=-1),
    )


def _second(problem: Problem, point: Array) -> Array:
    """(m, p, p) second derivatives of a day's prices; those of an anchor's quotes follow."""
    seconds = problem.values(point, order=2).hessian
    if not problem.has_anchor:
        return seconds
    each = np.eye(len(problem.specs))
    pulls = _pull_seconds(problem.specs, point)
    return np.concatenate((seconds, each[:, :, None] * each * pulls))


def _pull_seconds(specs: Specs, points: Array) -> Array:
    """(..., p) second derivative of each scaled coordinate by its own parameter."""
    slopes = specs.coordinates.slopes(points)
    return np.asarray(-specs.coordinates.curvatures(points) / slopes**3)
