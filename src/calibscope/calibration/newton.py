r"""Newton's method between bounds, for many least-squares problems of one day at a time.

Starts of a search, refits without a quote and points of a profile are rows of one batch, so that
every step prices all of them in one call. Steps are made in the solver's coordinates q. With
A = W^(1/2) dg/dq and the weighted residuals r,

.. math:: \tfrac12 \nabla f = A^T r, \qquad \tfrac12 \nabla^2 f = A^T A + \sum_k r_k \nabla^2 r_k,

parameters at a bound that hold it (the gradient pushes outwards) are left out, the Hessian of the
others is scaled to unit columns, its eigenvalues are taken by their size and raised by a damping
that grows until the step goes down (Nocedal and Wright, 2006, sections 3.4 and 16.7). Order 1
leaves the second term out: Levenberg and Marquardt.
"""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.parameters import Specs
from calibscope.calibration.problem import Problem, Task
from calibscope.models.model import Pricer

MOST_STEPS = 100
FIRST_DAMPING, SMALLEST_DAMPING, LARGEST_DAMPING = 1e-3, 1e-12, 1e10
LONGEST = 2.0  # of a step, in every coordinate, over its size
NEAR_BOUND = 1e-9  # in the same unit: a parameter that rounding has kept from its bound
ROUNDING = 1e-12  # of the sum of squares
FLAT = 1e-12  # of the largest eigenvalue: smaller ones are rounding
CONVERGED = 1e-18  # of the sum of squares, that a step promises
TINY = 1e-300


class Derivatives(NamedTuple):
    """Gradient and half the Hessian of the objective at points, by the solver's coordinates."""

    objective: Array  # (n,)
    gradient: Array  # (n, p) halved
    curvature: Array  # (n, p, p) halved
    is_free: BoolArray  # (n, p) neither fixed nor pushed against a bound


class Descents(NamedTuple):
    """Where Newton's method ended, row by row."""

    objectives: Array  # (n,)
    points: Array  # (n, p)
    evaluations: int


def tasks(task: Task, count: int) -> Task:
    """The same task in every row of a batch."""
    return Task(*(np.broadcast_to(part, (count, part.size)) for part in task))


def derivatives(
    specs: Specs, pricer: Pricer, batch: Task, points: Array, order: int = 2
) -> Derivatives:
    """Objective and derivatives at a point per row."""
    scale, compared = specs.solver, specs.coordinates
    # Far away a model may leave the range of numbers; such points are infinitely bad.
    with np.errstate(all="ignore"):
        values = pricer.evaluate(points, order)
        residuals = batch.root_weights * (values.prices - batch.quotes)
        objective = np.einsum("nk,nk->n", residuals, residuals)
        slopes, bends = scale.slopes(points), scale.curvatures(points)
        A = batch.root_weights[..., None] * values.jacobian * slopes[:, None, :]
        gradient = np.einsum("nkp,nk->np", A, residuals)
        curvature = A.mT @ A
        each = np.arange(len(specs))
        if order >= 2:
            second = np.einsum("nk,nkpq->npq", batch.root_weights * residuals, values.hessian)
            curvature = curvature + second * slopes[:, :, None] * slopes[:, None, :]
            curvature[:, each, each] += gradient / np.where(slopes == 0.0, 1.0, slopes) * bends
        if batch.strength.any():
            away = compared.of(points) - batch.anchor
            other = compared.slopes(points)
            first = slopes / other
            second = (bends - compared.curvatures(points) * first**2) / other
            objective = objective + (batch.strength * away**2).sum(axis=1)
            gradient = gradient + batch.strength * away * first
            curvature[:, each, each] += batch.strength * (first**2 + away * second * (order >= 2))
    at_lower = (points <= batch.lower) & (gradient >= 0.0)
    at_upper = (points >= batch.upper) & (gradient <= 0.0)
    is_free = ~(at_lower | at_upper) & (batch.lower < batch.upper)
    return Derivatives(
        np.where(np.isfinite(objective), objective, np.inf), gradient, curvature, is_free
    )


def newton(
    specs: Specs,
    pricer: Pricer,
    batch: Task,
    starts: Array,
    order: int = 2,
    most_steps: int = MOST_STEPS,
) -> Descents:
    """The optimum that each start leads to.

    Parameters
    ----------
    batch : one task per row: quotes (n, m), bounds (n, p), ...
    starts : (n, p)
    order : 2 for Newton's method, 1 without second derivatives of the prices
    """
    points = np.clip(np.asarray(starts, float), batch.lower, batch.upper)
    here = derivatives(specs, pricer, batch, points, order)
    damping, evaluations = np.full(len(points), FIRST_DAMPING), len(points)
    going = np.isfinite(here.objective)
    for _ in range(most_steps):
        step, promised = _step(specs, here, damping)
        going &= (promised > CONVERGED * here.objective) & (damping < LARGEST_DAMPING)
        rows = np.flatnonzero(going)
        if not rows.size:
            break
        chosen = Task(*(part[rows] for part in batch))
        trial = _moved(specs, chosen, points[rows], step[rows])
        there = derivatives(specs, pricer, chosen, trial, order)
        evaluations += rows.size
        better = there.objective < here.objective[rows]
        taken = rows[better]
        points[taken] = trial[better]
        for mine, theirs in zip(here, there, strict=True):
            mine[taken] = theirs[better]
        damping[rows] = np.where(
            better, np.maximum(0.1 * damping[rows], SMALLEST_DAMPING), 10.0 * damping[rows]
        )
    evaluations += _put_on_bounds(specs, pricer, batch, points, here.objective)
    return Descents(here.objective.copy(), points, evaluations)


def _put_on_bounds(
    specs: Specs, pricer: Pricer, batch: Task, points: Array, objectives: Array
) -> int:
    """Put parameters on bounds that they miss by rounding, in place; the evaluations used.

    A coordinate and its value are inverse up to rounding only, and the last step onto a bound may
    gain less than rounding too.
    """
    scale = specs.solver
    here, near = scale.of(points), NEAR_BOUND * specs.sizes
    is_low = (points > batch.lower) & (here - scale.of(batch.lower) < near)
    is_high = (points < batch.upper) & (scale.of(batch.upper) - here < near)
    rows = np.flatnonzero((is_low | is_high).any(axis=1))
    if not rows.size:
        return 0
    moved = np.where(is_low, batch.lower, np.where(is_high, batch.upper, points))[rows]
    chosen = Task(*(part[rows] for part in batch))
    values = derivatives(specs, pricer, chosen, moved, order=1).objective
    taken = values <= objectives[rows] * (1.0 + ROUNDING)
    points[rows[taken]], objectives[rows[taken]] = moved[taken], values[taken]
    return len(rows)


def _step(specs: Specs, here: Derivatives, damping: Array) -> tuple[Array, Array]:
    """Steps (n, p) of the free parameters, and how much of the objective each promises."""
    free = here.is_free
    both = free[:, :, None] & free[:, None, :]
    diagonal = np.abs(np.einsum("npp->np", here.curvature))
    size = np.where(free, np.sqrt(diagonal) + TINY, 1.0)
    scaled = (
        np.where(both, here.curvature, np.eye(free.shape[1])) / size[:, :, None] / size[:, None]
    )
    finite = np.asarray(np.isfinite(scaled).all(axis=(1, 2)))
    scaled = np.where(finite[:, None, None], scaled, np.eye(free.shape[1]))
    values, vectors = np.linalg.eigh(scaled)
    values = np.maximum(np.abs(values), FLAT * np.abs(values).max(axis=1, keepdims=True))
    slope = np.where(free & finite[:, None], here.gradient, 0.0) / size
    along = np.einsum("npq,np->nq", vectors, slope)
    steps = -np.einsum("npq,nq->np", vectors, along / (values + damping[:, None])) / size
    promised = np.sum(along**2 / (values + damping[:, None]), axis=1)
    longest = LONGEST * specs.sizes
    return np.clip(np.where(free, steps, 0.0), -longest, longest), promised


def _moved(specs: Specs, batch: Task, points: Array, step: Array) -> Array:
    """The parameters after steps, at the bounds where a step leads beyond them."""
    scale = specs.solver
    with np.errstate(over="ignore", invalid="ignore"):
        q = scale.of(points) + step
        is_low, is_high = q <= scale.of(batch.lower), q >= scale.of(batch.upper)
    moved = np.where(step == 0.0, points, scale.values(q))
    moved = np.where(is_low & (step < 0.0), batch.lower, moved)
    moved = np.where(is_high & (step > 0.0), batch.upper, moved)
    return np.clip(moved, batch.lower, batch.upper)


def polished(
    problem: Problem, starts: Array, order: int = 2, most_steps: int = MOST_STEPS
) -> Descents:
    """Newton's method from every start (n, p) of one problem."""
    points = np.atleast_2d(starts)
    return newton(
        problem.specs, problem.pricer, tasks(problem.task, len(points)), points, order, most_steps
    )
