"""Quotes that may be wrong together: each with those that are most alike to it.

A wrong row of a table, a stale page or a slip of the unit spoils several quotes by about the same
share, and these are mostly neighbours. The groups are every quote with its nearest 1, 2, 3, ...
others by `similarity.py`, up to half of a day's quotes: the other half could be blamed as well.
"""

import numpy as np

from calibscope.base.arrays import Array, BoolArray

MOST_SIZES = 8  # of groups: with many quotes sizes are spread evenly over logarithms


def alike_groups(similarity: Array) -> BoolArray:
    """(g, k) members of each group of two quotes or more, each group once.

    Parameters
    ----------
    similarity : (k, k) of the quotes of a day
    """
    k = len(similarity)
    largest = k // 2
    if largest < 2:
        return np.zeros((0, k), bool)
    sizes = np.unique(np.geomspace(2, largest, min(MOST_SIZES, largest - 1)).round().astype(int))
    nearest = np.argsort(-similarity, axis=1, kind="stable")
    members = np.zeros((len(sizes), k, k), bool)
    for number, size in enumerate(sizes.tolist()):
        np.put_along_axis(members[number], nearest[:, :size], True, axis=1)
    return np.unique(members.reshape(-1, k), axis=0)
