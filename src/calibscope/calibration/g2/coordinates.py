"""The scaled coordinates q = (log a_x, log a_y, log sigma_x, log sigma_y, rho_xy) of parameters.

The logarithms are the paper's (section on transformations); rho_xy stays as it is, because arctanh
is infinite at the bound.
"""

import numpy as np

from calibscope.base.arrays import Array

SWAP = np.array([1, 0, 3, 2, 4])  # the same model with the other factor first


def scaled(point: Array) -> Array:
    """The coordinates of parameters, of one point (5,) or of several (..., 5)."""
    return np.concatenate((np.log(point[..., :4]), point[..., 4:]), axis=-1)


def unscaled(coordinates: Array) -> Array:
    """The parameters at coordinates."""
    return np.append(np.exp(coordinates[:4]), coordinates[4])


def scale(point: Array) -> Array:
    """Derivative of the parameters by q: the parameter itself under a logarithm, else one."""
    return np.append(point[:4], 1.0)
