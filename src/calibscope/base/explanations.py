r"""Which of several numbers is wrong, if any? Competing explanations, compared by likelihood.

Explanation 0 is that all are right, explanation j that number j alone is wrong by an unknown
amount. Freeing one number lowers the misfit from :math:`D^2` to :math:`D^2 - z_j^2`, where z_j is
its error against the prediction of all others, in standard deviations. With a common scale that is
known as well as from nu earlier observations, and k numbers today, the likelihood is that of a
multivariate t distribution, so the odds of explanation j against 0 are

.. math:: O_j = \frac{s}{m}\,c(z_j) \left(\frac{\nu + D^2}{\nu + D^2 - z_j^2}\right)^{(\nu + k)/2},
    \qquad c(z) = \frac{\sqrt{2\pi}}{2 \max(|z|, 1) \log R}

s is the share of days with a wrong number and m how many there are. c is the price of a free
number: the prior of an error's size is uniform in its logarithm over a range of R = 60 (Jeffreys,
1961). As a wrong number pulls on its neighbours' predictions too, the probabilities of all are
needed to accuse one: :math:`P_j = O_j / (1 + \sum_i O_i)`; :math:`1 - P_j` is a local false
discovery rate (Efron, 2010).
"""

from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array, ArrayLike

SIZE_RANGE = 60.0  # largest over smallest error: 30 % over 0.5 %
_PRICE = np.sqrt(2 * np.pi) / (2 * np.log(SIZE_RANGE))


def wrong_probabilities(
    scores: ArrayLike, misfit: ArrayLike, degrees: float, count: float, share: ArrayLike
) -> Array:
    """(..., m) the probability of each explanation: a number, or several together, is wrong.

    Parameters
    ----------
    scores : (..., m) z, in standard deviations
    misfit : (...) D^2, in variances; at least max z^2
    degrees : nu, how many observations the scale is worth beforehand; 0: it is unknown
    count : k, how many independent numbers there are today
    share : s, the share of days with a wrong number, spread evenly; or s/m of each explanation
    """
    z2 = np.square(np.asarray(scores, float))
    total = degrees + np.maximum(np.asarray(misfit, float)[..., None], z2)
    tiny = 1e-12 * total + 1e-300
    evidence = 0.5 * (degrees + count) * np.log(total / np.maximum(total - z2, tiny))
    price = _PRICE / np.sqrt(np.maximum(z2, 1.0))
    prior = np.asarray(share, float)
    prior = prior if prior.ndim else prior / z2.shape[-1]
    return probabilities(evidence + np.log(price * prior))


def probabilities(log_odds: Array) -> Array:
    """(..., m) of explanations that exclude each other, from log odds against none of them."""
    top = np.maximum(log_odds.max(axis=-1, keepdims=True), 0.0)
    odds = np.exp(log_odds - top)
    return np.asarray(odds / (np.exp(-top) + odds.sum(axis=-1, keepdims=True)))


def fewest_that_explain(chances: Array, wanted: float) -> Sequence[int]:
    """The fewest places whose probabilities add up to `wanted`, likeliest first; else none."""
    order = np.argsort(-chances, kind="stable")
    reached = np.cumsum(chances[order]) >= wanted
    return order[: int(reached.argmax()) + 1].tolist() if reached.any() else []
