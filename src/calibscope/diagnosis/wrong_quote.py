r"""Which quote of a single day is wrong, if any is: explanations compared.

"Quote k alone is wrong" leaves the sum of squares :math:`Q_{(k)}` of the fit without it, "none is"
leaves Q. With d degrees of freedom and a scale that is not known, the evidence is
:math:`(Q/Q_{(k)})^{d/2}`; `base/explanations.py` turns it into probabilities. :math:`Q_{(k)}` comes
from refits (`refit/outliers.py`). The linear form :math:`1 + t_{(k)}^2 / (d - 1)` of
:math:`Q / Q_{(k)}`, t the externally studentised residual, is no substitute: at a leverage near 1,
or beside a bound, it accuses quotes that the fit cannot do without.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.explanations import fewest_that_explain, wrong_probabilities

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

SHARE_OF_DAYS = 0.05  # with a wrong quote, before anything is known
FALSE_DISCOVERIES = 0.2
LARGEST_SHARE = 0.25  # of the quotes that are named together


def chances_of(dx: "Diagnosis", squares_without: Array, can_be_wrong: BoolArray) -> Array:
    """(m,) probabilities; not a number where a quote cannot be wrong, or there is no noise.

    Parameters
    ----------
    squares_without : (m,) the weighted sum of squares without each quote
    can_be_wrong : (m,) quotes with a weight that can be left out
    """
    problem = dx.problem
    # A parameter at a bound may leave it once a quote is left out, and counts.
    degrees = int((problem.weights > 0).sum() - problem.is_movable.sum())
    total = float((problem.weighted_residuals**2).sum())
    # A fit of fewer quotes is no worse; rounding, or another basin, may say so.
    without = np.clip(squares_without, 0.0, total)
    is_asked = can_be_wrong & np.isfinite(without)
    chances = np.full(len(without), np.nan)
    if degrees > 1 and is_asked.any() and not dx.flags.is_perfect:
        scale = max(float(without[is_asked].min()) / (degrees - 1), 1e-12 * total)
        scores = np.sqrt((total - without[is_asked]) / scale)
        chances[is_asked] = wrong_probabilities(
            scores, np.asarray(total / scale), 0.0, degrees, SHARE_OF_DAYS
        )
    return chances


def named(chances: Array) -> Sequence[int]:
    """The quotes that a verdict names: one, a few that cannot be told apart, or none."""
    found = fewest_that_explain(np.nan_to_num(chances), 1 - FALSE_DISCOVERIES)
    return found if len(found) <= max(2, LARGEST_SHARE * len(chances)) else []
