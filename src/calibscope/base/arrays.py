"""Arrays as calibscope keeps them: float64, contiguous, read-only."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
ArrayLike = npt.ArrayLike


def frozen(values: npt.ArrayLike) -> Array:
    """A read-only float64 copy, so that a frozen dataclass is frozen all the way down."""
    array = np.array(values, dtype=np.float64, order="C")
    array.flags.writeable = False
    return array


def offsets(lengths: Iterable[int]) -> Indices:
    """Where each of several concatenated pieces starts, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(np.fromiter(lengths, dtype=np.int64))))
