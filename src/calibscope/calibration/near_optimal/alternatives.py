"""Fits that RMSRE cannot tell from the best: extremes of the near-optimal set, other optima."""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.calibration.near_optimal.evidence import Evidence
from calibscope.calibration.near_optimal.outermost import Followed, outermost
from calibscope.calibration.problem import Problem

ROUNDING = 1e-6  # relative, of the objective: the ends of a near-optimal set lie on its limit


class Alternatives(NamedTuple):
    """Parameters whose error stays within a factor of the best."""

    points: Array  # (k, p)
    factor: float
    error: str  # what stays within the factor: "RMSRE", by default


def alternatives(problem: Problem, found: Evidence, followed: Followed) -> Alternatives:
    """The fit, the extremes of its near-optimal set, other optima and the plausible fit.

    Only those that are good are kept.

    Parameters
    ----------
    found : with a near-optimal set by a factor, not by bid and ask
    followed : numbers that follow from the parameters, of which the smallest and largest count
    """
    factor = found.near_optimal.factor
    if factor is None:
        raise ValueError("the near-optimal set is that of bid and ask; give evidence with a factor")
    models = [found.parameters, *(optimum.parameters for optimum in found.local_minima.optima)]
    models += [found.plausible_fit] if found.plausible_fit is not None else []
    points = np.vstack(
        (
            [model.values for model in models],
            found.near_optimal.extremes.reshape(-1, len(models[0].values)),
        )
    )
    points = points[np.sort(np.unique(points, axis=0, return_index=True)[1])]
    objectives = problem.objectives(points)
    highest = factor**2 * max(objectives.min(), problem.perfect_objective)
    good = points[objectives <= highest * (1.0 + ROUNDING)]
    farthest = outermost(problem, highest, good, followed)
    is_good = problem.objectives(farthest) <= highest * (1.0 + ROUNDING)
    return Alternatives(
        frozen(np.vstack((good, farthest[is_good]))), factor, found.near_optimal.measure
    )
