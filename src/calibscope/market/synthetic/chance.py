"""Seeded chance that draws the same numbers on every machine and with every NumPy.

NumPy guarantees the raw output of a bit generator, but not how its `Generator` turns it into
normal numbers. So the raw output is turned into normals here, by the inverse distribution
function. Each topic has its own stream: a change in one place leaves all others as they were.
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from calibscope.base.arrays import Array

SEED = 20160901

Made = TypeVar("Made")

_seed = ContextVar("seed", default=SEED)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw with another seed inside: another history that is tied to the same facts."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


def cached_by_seed(function: Callable[[], Made]) -> Callable[[], Made]:
    """`functools.cache` for what is drawn by chance: once for each seed."""

    @cache
    def drawn(seed: int) -> Made:
        with seeded(seed):
            return function()

    @wraps(function)
    def of_this_seed() -> Made:
        return drawn(_seed.get())

    return of_this_seed


def uniforms(topic: str, *shape: int) -> Array:
    """Numbers strictly between 0 and 1."""
    stream = np.random.PCG64(np.random.SeedSequence([_seed.get(), zlib.crc32(topic.encode())]))
    raw = np.asarray(stream.random_raw(int(np.prod(shape)))).reshape(shape)
    return ((raw >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53


def normals(topic: str, *shape: int) -> Array:
    """Standard normal numbers."""
    return np.asarray(ndtri(uniforms(topic, *shape)))


def sampled(topic: str, weights: Array, count: int) -> list[int]:
    """`count` different indices, the likelier the larger their weight; increasing."""
    # The smallest of exponential waiting times with these rates (Efraimidis and Spirakis, 2006).
    waiting = -np.log(uniforms(topic, len(weights))) / np.maximum(weights, 1e-300)
    return sorted(int(i) for i in np.argsort(waiting)[:count])


def mean_reverting(shocks: Array, reversion: float) -> Array:
    """x_t = (1 - reversion) x_{t-1} + shock_t along the first axis, from 0."""
    state, path = np.zeros(shocks.shape[1:]), np.empty_like(shocks)
    for day, shock in enumerate(shocks):
        state = (1 - reversion) * state + shock
        path[day] = state
    return path
