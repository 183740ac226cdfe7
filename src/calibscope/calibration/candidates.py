"""Where a solver ended: one point, or several, best first."""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, ArrayLike


class Candidates(NamedTuple):
    """End points of a solver, best first."""

    parameters: Array  # (k, 5)
    objectives: Array  # (k,)
    evaluations: int

    @classmethod
    def sorted_by(
        cls, parameters: ArrayLike, objectives: ArrayLike, evaluations: int
    ) -> "Candidates":
        """The ends in the order of their objective; those that are no number are left out."""
        points, values = np.atleast_2d(np.asarray(parameters, float)), np.atleast_1d(objectives)
        order = np.argsort(values)
        order = order[np.isfinite(values[order])]
        return cls(points[order], np.asarray(values[order], float), int(evaluations))
