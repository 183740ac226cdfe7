"""Whether a fit is an optimum: what the parameters could still explain of the residuals.

At an optimum the residuals are orthogonal to the columns of the free parameters, and a parameter at
a bound would have to leave the bounds to explain more.

That is :math:`A_f^T e = 0` for the free columns, and the sign of a multiplier for the others (the
conditions of Karush, Kuhn and Tucker; Nocedal and Wright, 2006, chapter 12).
"""

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.compiled import compiled, compiled_for_stacks


@compiled_for_stacks("f8[:,:], f8[:], f8[:]", "(m,p), (m) -> ()")
def relative_offset(left: Array, e: Array, offset: Array) -> None:
    r"""Length of the residuals' projection on the tangent space over their own length.

    .. math:: \|H_w e\| / \|e\|

    Zero at an optimum inside the bounds (Bates and Watts, 1988): it measures convergence and active
    bounds, not curvature. Residuals of zero count as zero.
    """
    explained = 0.0
    for i in range(left.shape[1]):
        explained += _product(left[:, i], e) ** 2
    total = _product(e, e)
    offset[0] = np.sqrt(explained) / np.sqrt(total) if total > 0.0 else 0.0


@compiled_for_stacks("f8[:,:], f8[:], i8[:], f8, b1[:]", "(m,p), (m), (p), () -> ()")
def is_held_in_vain(
    A: Array, e: Array, at_bound: Indices, threshold: float, is_in_vain: BoolArray
) -> None:
    """Whether a parameter at a bound would explain residuals by moving inside.

    `threshold` is the cosine between its column and the residuals, beyond rounding.
    """
    is_in_vain[0] = False
    for p in range(at_bound.size):
        inwards = -at_bound[p] * _product(A[:, p], e)
        size = np.sqrt(_product(A[:, p], A[:, p])) * np.sqrt(_product(e, e))
        is_in_vain[0] |= inwards > threshold * size


@compiled
def _product(one: Array, other: Array) -> float:
    """Inner product."""
    total = 0.0
    for k in range(one.size):
        total += one[k] * other[k]
    return total
