"""The last digits of an optimum: Newton's method on singular vectors."""

import math

import numpy as np

from calibscope.base.arrays import Array
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
MOST_LAST_STEPS = 6
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
    here, before = parameters.copy(), np.inf
    total = residuals_at(2, here, book, day, task, scratch, work, work.residuals)
    lowest = total
    for _ in range(MOST_LAST_STEPS + 1):
        normal_equations(2, here, task, work)
        length = projected_step(here, task, work)
        if not (length < 0.5 * before and total <= lowest * (1.0 + ROUNDING)):
            break
        parameters[:] = here
        lowest, before = total, length
        moved(here, task, work)
        here[:] = work.trial
        total = residuals_at(2, here, book, day, task, scratch, work, work.residuals)
    return lowest


@compiled
def projected_step(parameters: Array, task: Task, work: Work) -> float:
    """Newton's step of the parameters inside their bounds, on singular vectors; length of U' r."""
    m, step = task.quotes.size, work.step
    step[:] = 0.0
    work.is_held[:] = False
    free = np.flatnonzero((parameters > task.lower) & (parameters < task.upper))
    if free.size == 0:
        return 0.0
    # An anchor's pull adds five rows.
    A, residuals = np.zeros((m + COUNT, free.size)), np.empty(m + COUNT)
    residuals[:m] = work.residuals[:m]
    for p in range(COUNT):
        root = math.sqrt(task.strength[p])
        residuals[m + p] = root * (coordinate(parameters, p) - task.anchor[p])
    for i in range(free.size):
        p = free[i]
        A[:m, i] = work.jacobian[:m, p]
        A[m + p, i] = math.sqrt(task.strength[p])
    if not np.isfinite(np.sum(A)):
        return np.inf
    U, S, Vt = np.linalg.svd(A, False)
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
