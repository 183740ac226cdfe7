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


class Memory(NamedTuple):
    """Working memory that serves one day after the other."""

    scratch: Scratch
    work: Work
    surrogate: Surrogate


@compiled
def memory_for(book: CapBook, begin: int, end: int) -> Memory:
    """Working memory that is large enough for every day from begin to end - 1."""
    caps, scratch = 0, scratch_for(book, begin, end)
    for day in range(begin, end):
        caps = max(caps, book.caps_of_day[day + 1] - book.caps_of_day[day])
    work = Work(
        np.empty(caps),
        np.empty((caps, COUNT)),
        np.empty((caps, COUNT, COUNT)),
        np.empty(caps, np.bool_),
        np.empty(caps),
        np.empty(COUNT),
        np.empty((COUNT, COUNT)),
        np.empty((COUNT, COUNT)),
        np.empty((COUNT, COUNT)),
        np.empty((COUNT, COUNT)),
        np.empty(COUNT),
        np.empty(COUNT),
        np.empty(COUNT),
        np.empty(caps),
        np.empty(COUNT, np.bool_),
        np.empty(COUNT, np.bool_),
        np.empty(COUNT),
        np.empty(COUNT),
        np.empty(COUNT),
    )
    surrogate = Surrogate(
        np.empty(scratch.basis.shape[1]), np.ones(caps), np.empty(scratch.caplets.shape[1]),
        np.empty(caps), np.empty(caps), np.empty((3, caps)),
    )  # fmt: skip
    return Memory(scratch, work, surrogate)


@compiled
def case_of(book: CapBook, day: int, task: Task, memory: Memory) -> Case:
    """One day's problem."""
    return Case(book, day, task, memory.scratch, memory.work, memory.surrogate)


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
    return Case(case.book, case.day, task, case.scratch, case.work, case.surrogate)
