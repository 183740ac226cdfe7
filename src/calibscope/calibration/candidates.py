"""Where a solver ended: one point, or several, best first."""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, ArrayLike


class Candidates(NamedTuple):
    """End points of a solver, best first."""

    parameters: Array  # (k, p)
    objectives: Array  # (k,)
    evaluations: int

    @classmethod
    def sorted_by(
        cls, parameters: ArrayLike, objectives: ArrayLike, evaluations: int
    ) -> "Candidates":
        """The points in the order of their objective, without those whose objective is infinite."""
        points, values = np.atleast_2d(np.asarray(parameters, float)), np.atleast_1d(objectives)
        order = np.argsort(values)
        order = order[np.isfinite(values[order])]
        if not order.size:
            raise ValueError(
                "the model has no finite price at any start; check its pricer and the bounds"
            )
        return cls(points[order], np.asarray(values[order], float), int(evaluations))

    def joined(self, other: "Candidates") -> "Candidates":
        """Both, best first."""
        return Candidates.sorted_by(
            np.vstack((self.parameters, other.parameters)),
            np.concatenate((self.objectives, other.objectives)),
            self.evaluations + other.evaluations,
        )
