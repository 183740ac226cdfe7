"""What the compiled solvers work on: one day's problem with its working memory."""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.compiled import compiled
from calibscope.calibration.problem import Task
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch, scratch_for

COUNT = 5  # parameters


class Work(NamedTuple):
    """Working memory of a polish, for days with up to m caps."""

    prices: Array  # (m,)
    jacobian: Array  # (m, 5)
    hessian: Array  # (m, 5, 5)
    is_degenerate: BoolArray  # (m,)
    residuals: Array  # (m,)
    gradient: Array  # (5,) half the gradient of f by q
    normal: Array  # (5, 5) A'A
    second_order: Array  # (5, 5) sum_k r_k times the Hessian of r_k
    curvature: Array  # (5, 5) half the Hessian of f by q: the sum of both
    system: Array  # (5, 5)
    step: Array  # (5,)
    trial: Array  # (5,) parameters
    probe: Array  # (5,) parameters
    trial_residuals: Array  # (m,)
    is_free: BoolArray  # (5,)
    is_held: BoolArray  # (5,) put on a bound by the step
    shift: Array  # (5,) how far those move
    room_down: Array  # (5,) how far coordinates can move down, and up
    room_up: Array  # (5,)


class Surrogate(NamedTuple):
    """Prices linearised in the variances (`surrogate.py`)."""

    variance: Array  # (periods,)
    levels: Array  # (m,) by which a cap's own variances differ from these
    slopes: Array  # (caplets,) M
    prices: Array  # (m,) at these variances
    target: Array  # (m,) what the linear model has to meet, weighted
    design: Array  # (3, m) columns of the linear model in (u, v, 2w) at one pair of speeds


class Case(NamedTuple):
    """One day of a book, what is to be minimised on it, and working memory."""

    book: CapBook
    day: int
    task: Task
    scratch: Scratch
    work: Work
    surrogate: Surrogate


@compiled
def case_for(book: CapBook, begin: int, end: int, task: Task) -> Case:
    """The first day's problem, with memory that is large enough for every day to end - 1."""
    caps, scratch = 0, scratch_for(book, begin, end)
    for day in range(begin, end):
        caps = max(caps, book.caps_of_day[day + 1] - book.caps_of_day[day])
    work = Work(
        prices=np.empty(caps),
        jacobian=np.empty((caps, COUNT)),
        hessian=np.empty((caps, COUNT, COUNT)),
        is_degenerate=np.empty(caps, np.bool_),
        residuals=np.empty(caps),
        gradient=np.empty(COUNT),
        normal=np.empty((COUNT, COUNT)),
        second_order=np.empty((COUNT, COUNT)),
        curvature=np.empty((COUNT, COUNT)),
        system=np.empty((COUNT, COUNT)),
        step=np.empty(COUNT),
        trial=np.empty(COUNT),
        probe=np.empty(COUNT),
        trial_residuals=np.empty(caps),
        is_free=np.empty(COUNT, np.bool_),
        is_held=np.empty(COUNT, np.bool_),
        shift=np.empty(COUNT),
        room_down=np.empty(COUNT),
        room_up=np.empty(COUNT),
    )
    surrogate = Surrogate(
        variance=np.empty(scratch.basis.shape[1]),
        levels=np.ones(caps),
        slopes=np.empty(scratch.caplets.shape[1]),
        prices=np.empty(caps),
        target=np.empty(caps),
        design=np.empty((3, caps)),
    )
    return Case(book, begin, task, scratch, work, surrogate)


@compiled
def on_day(day: int, task: Task, case: Case) -> Case:
    """Another day of the same book, in the same memory."""
    return Case(case.book, day, task, case.scratch, case.work, case.surrogate)


@compiled
def with_held(p: int, parameters: Array, case: Case) -> Case:
    """The same day with one parameter held at its value here."""
    task = case.task
    lower, upper = task.lower.copy(), task.upper.copy()
    lower[p] = upper[p] = parameters[p]
    held = Task(task.quotes, task.root_weights, lower, upper, task.anchor, task.strength)
    return with_task(held, case)


@compiled
def with_task(task: Task, case: Case) -> Case:
    """The same day with another task."""
    return on_day(case.day, task, case)
