"""The last digits of an optimum: Newton's method on singular vectors."""

import math

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case, Work
from calibscope.calibration.g2.objective import (
    from_anchor,
    measure_rooms,
    moved,
    normal_equations,
    residuals_at,
)

ROUNDING = 1e-8  # of the sum of squares, where large volatilities nearly cancel
MOST_LAST_STEPS = 8
CONVERGED = 1e-10  # relative offset: less is rounding
RANK_TOLERANCE = 1e-11  # singular values below this share of the largest are rounding
LEAST_CURVATURE = 0.1  # of the Hessian in Gauss-Newton's metric


@compiled
def refine(case: Case, parameters: Array) -> float:
    """Last steps next to an optimum, where the objective sees only rounding; the objective there.

    Its relative rounding is about 1e-12, which leaves a parameter's last six digits open; the
    gradient does not. The steps are Newton's on the singular vectors of A = U S V',

        (I + S^-1 V' B V S^-1) S V' s = -U' r,  B = sum_k r_k times the Hessian of r_k,

    so that directions whose singular values differ by 1e10 do not disturb each other, as they do in
    A'A. They go on while the projection U' r becomes shorter. Parameters at bounds stay there.
    """
    work, here, shortest, misses = case.work, parameters.copy(), np.inf, 0
    total = residuals_at(2, here, case, work.residuals)
    lowest, highest = total, total * (1.0 + ROUNDING)
    for _ in range(MOST_LAST_STEPS):
        normal_equations(2, here, case)
        is_inside = (here > case.task.lower) & (here < case.task.upper)
        length = projected_step(is_inside, here, case)
        if length < 0.5 * shortest and total <= highest:
            parameters[:] = here
            lowest, shortest, misses = total, length, 0
        else:
            misses += 1
        # A step that meets a bound is worse at first; the next ones know the bound.
        if misses == 2 or not length > CONVERGED * math.sqrt(total):
            break
        moved(here, case)
        here[:] = work.trial
        total = residuals_at(2, here, case, work.residuals)
    return lowest


@compiled
def projected_step(is_free: BoolArray, parameters: Array, case: Case) -> float:
    """Newton's step of the free parameters, on singular vectors; length of U' r.

    A parameter that the step would carry beyond a bound is put on it, and the others are solved for
    again, and no longer marked as free.
    """
    task, work = case.task, case.work
    m, is_held = task.quotes.size, work.is_held
    # An anchor's pull adds five rows.
    A, residuals = np.zeros((m + COUNT, COUNT)), np.zeros(m + COUNT)
    A[:m], residuals[:m] = work.jacobian[:m], work.residuals[:m]
    for p in range(COUNT):
        away, slope, _ = from_anchor(parameters, p, task)
        pull = math.sqrt(task.strength[p])
        A[m + p, p], residuals[m + p] = pull * slope, pull * away
    is_held[:] = False
    measure_rooms(parameters, case)
    length = projected_newton(A, residuals, is_free, work)
    for _ in range(COUNT):
        worst, which = 0.0, -1
        for p in range(COUNT):
            beyond = max(work.step[p] - work.room_up[p], -work.step[p] - work.room_down[p])
            if is_free[p] and beyond > worst:
                worst, which = beyond, p
                work.shift[p] = work.room_up[p] if work.step[p] > 0.0 else -work.room_down[p]
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
def projected_newton(A: Array, residuals: Array, is_free: BoolArray, work: Work) -> float:
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
                curvature[i, j] += frame[i, p] * np.sum(work.second_order[p] * frame[j])
    if not np.isfinite(np.sum(curvature)):
        return np.inf
    values, vectors = np.linalg.eigh(curvature)
    for i in range(rank):
        along = np.sum(vectors[:, i] * projection) / max(values[i], LEAST_CURVATURE)
        for j in range(rank):
            step -= along * vectors[j, i] * frame[j]
    return math.sqrt(np.sum(projection * projection))
