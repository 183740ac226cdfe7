"""`cs.diagnose_least_squares`: the same diagnosis for anything with residuals and a Jacobian."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.brief import brief
from calibscope.base.parameters import TRANSFORMS, ParameterSpec, Specs
from calibscope.base.spelling import choose_from
from calibscope.base.transforms import IDENTITY, Scale, Transform
from calibscope.diagnosis.batch import finished
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.examine import examine
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.geometry import column_lengths
from calibscope.diagnosis.refit.refit import Refit
from calibscope.diagnosis.settings import USUAL, DiagnosisSettings, Mode

LARGEST, SMALLEST = 1e140, 1e-290

Limits = Mapping[str, tuple[float, float]] | tuple[ArrayLike, ArrayLike]


def diagnose_least_squares(
    residuals: ArrayLike,
    jacobian: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    values: ArrayLike | None = None,
    bounds: Limits | None = None,
    hessian: ArrayLike | None = None,
    transforms: Sequence[Transform] | None = None,
    observed: ArrayLike | None = None,
    labels: Sequence[str] | None = None,
    refit: Refit | None = None,
    mode: Mode | None = None,
    settings: DiagnosisSettings = USUAL,
) -> Diagnosis:
    r"""Say how far a least-squares fit can be trusted, whatever was fitted.

    .. math:: \hat\theta = \arg\min \sum_k w_k\,(y_k - g_k(\theta))^2

    The rank is judged on columns of length 1, so that it does not depend on units.

    Source: paper, eq. hat_matrix, eq. cov and eq. influence_function, which need no more than this.

    Parameters
    ----------
    residuals : (m,) observed minus fitted, y - g; a solver that returns g - y needs a minus sign
    jacobian : (m, p) derivatives of the fitted values g
    weights : (m,) w; None means 1
    names : of the parameters; None means b1, b2, ...
    values : (p,) the fitted parameters; needed for intervals, and to see which are at bounds
    bounds : {name: (lower, upper)}, or (lower, upper) for all; equal bounds fix a parameter
    hessian : (m, p, p) second derivatives of g, for the exact-Hessian forms and `bates_watts`
    transforms : per parameter "log", "arctanh" or "identity" (None), for intervals and scaled
        coordinates
    observed : (m,) y, for `y_fitted`
    labels : of the observations; None means 1, 2, ...
    refit : how to fit again, for the refits; needs `values` and `observed`
    mode : which parameters are held fixed: "active" those at bounds that hold, whose multiplier is
        more than two of its standard errors from zero; "full" none; "strict" those at any bound;
        None means that of the settings, "active" unless said
    settings : thresholds and defaults

    Returns
    -------
    Diagnosis
        everything that needs no refit

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> dx = diagnose_least_squares([0.1, -0.1, -0.1, 0.1], np.column_stack((np.ones(4), x)))
    >>> dx.edof, dx.leverage.round(2).tolist()
    (2, [0.7, 0.3, 0.3, 0.7])
    """
    r, J = _floats(residuals, "residuals"), _floats(jacobian, "jacobian")
    if r.ndim != 1 or J.ndim != 2 or len(J) != len(r) or not r.size or not J.size:
        raise ValueError(
            f"residuals have shape {r.shape} and the jacobian {J.shape}; give (m,) and (m, p)"
        )
    m, p = J.shape
    specs = _specs(p, names, transforms)
    w = _filled(weights, (m,), 1.0, "weights")
    if (w < 0).any():
        raise ValueError("a weight is negative; give weights from 0")
    theta = np.full(p, np.nan) if values is None else _filled(values, (p,), 0.0, "values")
    if mode == "strict" and bounds is not None and values is None:
        raise ValueError("strict mode needs values, to see which lie at a bound; give values=")
    if values is None and any(each != IDENTITY for each in specs.interval.scales):
        raise ValueError("transforms mean nothing without values; give both")
    for spec, value in zip(specs, theta, strict=True):
        transform = spec.interval_scale.transform
        if (transform == "log" and value <= 0) or (transform == "arctanh" and abs(value) > 1):
            raise ValueError(
                f"{spec.name} is {value:g}, which has no {transform}; choose 'identity'"
            )
    lower, upper = _limits(bounds, specs.names, theta)
    seconds = None if hessian is None else _filled(hessian, (m, p, p), 0.0, "hessian")
    # What overflows is refused below.
    with np.errstate(over="ignore", invalid="ignore"):
        second_order = None if seconds is None else -np.einsum("k,kpq->pq", w * r, seconds)
        problem = LeastSquares(
            _filled(r, (m,), 0.0, "residuals"),
            _filled(J, (m, p), 0.0, "jacobian"),
            w,
            second_order,
            None if observed is None else _filled(observed, (m,), 0.0, "observed"),
            theta,
            lower,
            upper,
            _labels(labels, m),
            specs,
        )
        _check_sizes(problem)
    if refit is not None and (values is None or observed is None):
        raise ValueError("refit needs to know the fit; give values= and observed=")
    second = None if seconds is None else partial(np.copy, seconds)
    chosen = settings.mode if mode is None else mode
    parts = examine(problem, chosen, settings, "unit_columns")
    return finished(Diagnosis(**parts, refit=refit, second=second))


def _check_sizes(problem: LeastSquares) -> None:
    """Refuse what leaves the range of numbers when it is squared: LAPACK may never return."""
    A, scale = problem.design, problem.coordinate_scale
    lengths = column_lengths(A)
    second_order = np.zeros((1, 1)) if problem.second_order is None else problem.second_order
    observed = np.zeros(1) if problem.observed is None else problem.observed
    sizes = {
        "sqrt(w) (y - g)": problem.weighted_residuals,
        "sqrt(w) y": np.max(problem.root_weights) * observed,
        "sqrt(w) J": A,
        "sqrt(w) J values": A * np.where(np.isnan(scale), 1.0, scale),
        "w (y - g) hessian": second_order,
        "w (y - g) hessian over J^T W J": second_order / lengths[:, None] / lengths,
    }
    for what, numbers in sizes.items():
        largest = np.abs(np.where(np.isnan(numbers), np.inf, numbers)).max()
        if largest > LARGEST:
            raise ValueError(
                f"{what} reaches {largest:g}, and numbers up to {LARGEST:g} can be squared; "
                "measure in other units, or divide all weights by the same number"
            )
    if lengths.min() < SMALLEST:
        raise ValueError(
            f"a column of sqrt(w) J has length {lengths.min():g}, too small for its inverse; "
            "measure in other units, or multiply all weights by the same number"
        )


def _floats(given: ArrayLike, what: str) -> Array:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} are {brief(given)}; give numbers") from None


def _filled(given: ArrayLike | None, shape: tuple[int, ...], usual: float, what: str) -> Array:
    array = np.full(shape, usual) if given is None else _floats(given, what)
    if array.shape != shape:
        raise ValueError(f"{what}: the shape is {array.shape}; give {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what}: not all are finite; leave out what is missing")
    return array


def _specs(p: int, names: Sequence[str] | None, transforms: Sequence[Transform] | None) -> Specs:
    called = tuple(f"b{i + 1}" for i in range(p)) if names is None else _texts(names, "names")
    kinds = ("identity",) * p if transforms is None else _texts(transforms, "transforms")
    if len(called) != p or len(set(called)) != p:
        raise ValueError(f"names are {brief(called)}; give {p} different ones")
    if len(kinds) != p or not set(kinds) <= set(TRANSFORMS):
        raise ValueError(f"transforms are {brief(kinds)}; give {p} out of {', '.join(TRANSFORMS)}")
    scales = (Scale(cast(Transform, kind)) for kind in kinds)
    described = zip(called, scales, strict=True)
    return Specs(tuple(ParameterSpec(name, interval_scale=scale) for name, scale in described))


def _texts(given: Sequence[str], what: str) -> tuple[str, ...]:
    words = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"{what} are {brief(given)}; give a text for each")
    return words


def _labels(labels: Sequence[str] | None, m: int) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    called = [str(k + 1) for k in range(m)] if labels is None else [str(word) for word in labels]
    if len(called) != m:
        raise ValueError(f"there are {len(called)} labels; give {m}")
    return np.array(called)


def _limits(bounds: Limits | None, names: tuple[str, ...], values: Array) -> tuple[Array, Array]:
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if isinstance(bounds, Mapping):
        for name, pair in bounds.items():
            if name not in names:
                raise ValueError(f"{name!r} is not a parameter; {choose_from(names, name)}")
            p = names.index(name)
            lower[p], upper[p] = _pair(pair, (), f"bounds of {name}")
    elif bounds is not None:
        lower[:], upper[:] = _pair(bounds, lower.shape, "bounds")
    for name, low, high, value in zip(names, lower, upper, values, strict=True):
        if not low <= high:
            raise ValueError(f"bounds of {name}: the lower one, {low:g}, is above {high:g}")
        # Solvers may leave a bound by rounding.
        if not np.isnan(value) and not np.isclose(value, np.clip(value, low, high), rtol=1e-9):
            raise ValueError(f"{name} is {value:g}, outside its bounds {low:g} to {high:g}")
    return lower, upper


def _pair(given: Any, shape: tuple[int, ...], what: str) -> tuple[Array, Array]:
    """A lower and an upper bound, each of the shape or one for all."""
    try:
        low, high = (np.broadcast_to(np.asarray(bound, float), shape) for bound in given)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} are {brief(given)}; give (lower, upper)") from None
    return low, high
