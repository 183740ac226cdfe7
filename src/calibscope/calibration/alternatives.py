"""Fits that RMSRE cannot tell from the best: the ends of the valley, and other optima."""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.calibration.evidence import Evidence
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import PERFECT

ROUNDING = 1e-6  # relative, of the objective: the ends of a valley lie on its limit


class Alternatives(NamedTuple):
    """Parameters whose error stays within a factor of the best."""

    points: Array  # (k, 5), no two alike
    factor: float
    error: str  # what stays within the factor: "RMSRE", by default


def alternatives(problem: Problem, found: Evidence) -> Alternatives:
    """The fit, the ends of its valley, other optima and the plausible fit, as far as they are good.

    Parameters
    ----------
    found : with a valley by a factor, not by bid and ask
    """
    factor = found.valley.factor
    if factor is None:
        raise ValueError("the valley is that of bid and ask; give evidence with a factor")
    models = [found.parameters, *(optimum.parameters for optimum in found.atlas.optima)]
    models += [found.plausible_fit] if found.plausible_fit is not None else []
    points = np.vstack(
        ([model.values for model in models], found.valley.ends.reshape(-1, len(models[0].values)))
    )
    points = points[np.sort(np.unique(points, axis=0, return_index=True)[1])]
    objectives = np.array([problem.objective(point) for point in points])
    floor = PERFECT**2 * len(problem.weights)
    highest = factor**2 * max(objectives.min(), floor)
    is_good = objectives <= highest * (1.0 + ROUNDING)
    return Alternatives(frozen(points[is_good]), factor, found.valley.measure)
