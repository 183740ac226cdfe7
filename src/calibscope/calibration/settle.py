"""The last digits of an optimum: Newton's method on singular vectors."""

import math

import numpy as np

from calibscope.base.arrays import Array, Marks
from calibscope.base.compiled import compiled
from calibscope.calibration.objective import (
    COUNT,
    Task,
    Work,
    coordinate,
    moved,
    normal_equations,
    residuals_at,
)
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch

ROUNDING = 1e-8  # of the sum of squares, where large volatilities nearly cancel
MOST_LAST_STEPS = 8
CONVERGED = 1e-10  # relative offset: less is rounding
RANK_TOLERANCE = 1e-11  # singular values below this share of the largest are rounding
LEAST_CURVATURE = 0.1  # of the Hessian in Gauss-Newton's metric


@compiled
def settle(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    work: Work,
    parameters: Array,
) -> float:
    """Last steps next to an optimum, where the objective sees only rounding; the objective there.

    Its relative rounding is about 1e-12, which leaves a parameter's last six digits open; the
    gradient does not. The steps are Newton's on the singular vectors of A = U S V',

        (I + S^-1 V' B V S^-1) S V' s = -U' r,  B = sum_k r_k times the Hessian of r_k,

    so that directions whose singular values differ by 1e10 do not disturb each other, as they do in
    A'A. They go on while the projection U' r becomes shorter. Parameters at bounds stay there.
    """
    here, shortest, misses = parameters.copy(), np.inf, 0
    total = residuals_at(2, here, book, day, task, scratch, work, work.residuals)
    lowest, highest = total, total * (1.0 + ROUNDING)
    for _ in range(MOST_LAST_STEPS):
        normal_equations(2, here, task, work)
        length = projected_step(here, task, work)
        if length < 0.5 * shortest and total <= highest:
            parameters[:] = here
            lowest, shortest, misses = total, length, 0
        else:
            misses += 1
        # A step that meets a bound is worse at first; the next ones know the bound.
        if misses == 2 or not length > CONVERGED * math.sqrt(total):
            break
        moved(here, task, work)
        here[:] = work.trial
        total = residuals_at(2, here, book, day, task, scratch, work, work.residuals)
    return lowest


@compiled
def projected_step(parameters: Array, task: Task, work: Work) -> float:
    """Newton's step of the parameters inside their bounds, on singular vectors; length of U' r.

    A parameter that the step would carry beyond a bound is put on it, and the others are solved for
    again.
    """
    m, is_held = task.quotes.size, work.is_held
    is_free = (parameters > task.lower) & (parameters < task.upper)
    # An anchor's pull adds five rows.
    A, residuals = np.zeros((m + COUNT, COUNT)), np.zeros(m + COUNT)
    A[:m], residuals[:m] = work.jacobian[:m], work.residuals[:m]
    for p in range(COUNT):
        A[m + p, p] = math.sqrt(task.strength[p])
        residuals[m + p] = A[m + p, p] * (coordinate(parameters, p) - task.anchor[p])
    is_held[:] = False
    length = projected_newton(A, residuals, is_free, work)
    for _ in range(COUNT):
        worst, which = 0.0, -1
        for p in range(COUNT):
            here = coordinate(parameters, p)
            room_down = here - coordinate(task.lower, p)
            room_up = coordinate(task.upper, p) - here
            beyond = max(work.step[p] - room_up, -work.step[p] - room_down)
            if is_free[p] and beyond > worst:
                worst, which = beyond, p
                work.shift[p] = room_up if work.step[p] > 0.0 else -room_down
        if which < 0:
            break
        is_held[which], is_free[which] = True, False
        residuals += work.shift[which] * A[:, which]
        projected_newton(A, residuals, is_free, work)
        for p in range(COUNT):
            if is_held[p]:
                work.step[p] = work.shift[p]
    return length


@compiled
def projected_newton(A: Array, residuals: Array, is_free: Marks, work: Work) -> float:
    """Newton's step of the free parameters into `work.step`; length of U' r."""
    step, free = work.step, np.flatnonzero(is_free)
    step[:] = 0.0
    if free.size == 0:
        return 0.0
    columns = np.empty((residuals.size, free.size))
    for i in range(free.size):
        columns[:, i] = A[:, free[i]]
    if not np.isfinite(np.sum(columns)):
        return np.inf
    U, S, Vt = np.linalg.svd(columns, False)
    rank = 0
    while rank < S.size and S[rank] > RANK_TOLERANCE * S[0]:
        rank += 1
    projection = np.zeros(rank)
    frame = np.zeros((rank, COUNT))  # steps that move the residuals by unit vectors
    for i in range(rank):
        projection[i] = np.sum(U[:, i] * residuals)
        frame[i][free] = Vt[i] / S[i]
    curvature = np.eye(rank)
    for i in range(rank):
        for j in range(rank):
            for p in range(COUNT):
                curvature[i, j] += frame[i, p] * np.sum(work.bend[p] * frame[j])
    if not np.isfinite(np.sum(curvature)):
        return np.inf
    values, vectors = np.linalg.eigh(curvature)
    for i in range(rank):
        along = np.sum(vectors[:, i] * projection) / max(values[i], LEAST_CURVATURE)
        for j in range(rank):
            step -= along * vectors[j, i] * frame[j]
    return math.sqrt(np.sum(projection * projection))
