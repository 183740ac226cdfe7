r"""Influence: which quotes moved the parameters.

.. math:: IF(y_k) = r_k\,S_k, \qquad S = (J^T W J)^+ J^T W

(paper, eq. influence_function, no factor m): residual times sensitivity. S_k is the derivative of
the parameters by quote k with all weights fixed. With the exact Hessian in place of J^T W J it is
the true derivative of the optimum (implicit function theorem); parameters at active bounds do not
move. What leaving a quote out does is another question (`deletion.py`).
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.diagnosis.linear.geometry import length


def influence(residuals: Array, sensitivity: Array) -> Array:
    """(m, p) r_k S_k from residuals (m,) and sensitivity (p, m)."""
    return np.asarray(residuals[..., :, None] * sensitivity.mT)


def influence_score(influence: Array) -> Array:
    """(m,) Euclidean norm over the parameters; the paper's, which mixes their units."""
    return length(influence)
