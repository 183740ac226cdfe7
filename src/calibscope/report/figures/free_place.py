"""Where a label can stand beside its point without covering anything."""

import math
from collections.abc import Iterable

import numpy as np

from calibscope.base.arrays import Array

PLOTS = ((320.0, 400.0), (830.0, 440.0))  # pixels of the axes, on a narrow page and on a wide one
DISTANCES = (22.0, 32.0, 44.0)  # pixels from the point
TURNS = tuple(sign * k * math.pi / 8 for k in range(9) for sign in (1, -1))
HALF_HEIGHT = 13.0


def free_place(point: Array, angle: float, half_width: float, others: Array) -> tuple[float, float]:
    """Pixels right and up from a point to its label: where it covers least, on pages of any width.

    Of equally free places the nearest one wins, and then the one that turns least from the angle.

    Parameters
    ----------
    point, others : (2,) and (n, 2) what must stay visible, as shares of the axes
    angle : where the label would stand if all places were free
    half_width : of the label, in pixels
    """

    def covered(offset: tuple[float, float]) -> int:
        return sum(_covered(point, offset, half_width, others, size) for size in PLOTS)

    return min(_places(angle), key=covered)


def _places(angle: float) -> Iterable[tuple[float, float]]:
    for distance in DISTANCES:
        for turn in TURNS:
            yield distance * math.cos(angle + turn), distance * math.sin(angle + turn)


def _covered(
    point: Array,
    offset: tuple[float, float],
    half_width: float,
    others: Array,
    size: tuple[float, float],
) -> int:
    gaps = np.abs((others - point) * size - offset)
    return int((gaps < (half_width, HALF_HEIGHT)).all(axis=1).sum())
