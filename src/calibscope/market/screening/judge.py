"""One day's verdict: is a quote wrong, and is it clear which?

Each quote's error is taken against the prediction from all others; the explanations "this one is
wrong" and "none is" compete (`base/explanations.py`). A quote is accused if it explains the day
alone with the wanted probability. If two or three do so only together, the verdict names them all.
An accused quote is set aside and the others are judged again.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.explanations import fewest_that_explain, wrong_probabilities

# Before anything is known, one day in ten has a wrong quote. Of the accusations, at most one in
# five is expected to be false.
SHARE_OF_DAYS = 0.1
FALSE_DISCOVERIES = 0.2

# The scale is known beforehand as well as from so many quotes.
DEGREES = 20.0

FEWEST_QUOTES = 3  # of two that disagree, nobody can say which is wrong
LARGEST_SHARE = 0.25  # of a day's quotes that can be set aside


class Code(IntEnum):
    """What is said about a quote on a day."""

    ABSENT = 0
    NOT_SCREENED = 1
    IN_LINE = 2
    ACCUSED = 3
    ONE_OF = 4
    MOVED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Of the k quotes of a day."""

    scores: Array  # errors against the prediction, in standard deviations
    degrees: float  # of freedom of the scores, which are t distributed
    chances: Array  # probabilities of being wrong
    errors: Array  # quote minus prediction
    codes: Indices
    is_clean: BoolArray  # not accused

    @property
    def is_judged(self) -> bool:
        """Whether there are enough quotes."""
        return bool(np.isfinite(self.degrees))

    @classmethod
    def none(cls, k: int) -> "Judgement":
        """Where quotes are too few."""
        nothing = np.full(k, np.nan)
        codes = np.full(k, Code.NOT_SCREENED)
        return cls(nothing, np.nan, np.zeros(k), nothing, codes, np.ones(k, bool))


def judge(
    deviations: Array, covariance: Array, is_mature: BoolArray, excess: float = 1.0
) -> Judgement:
    """Judge the quotes of a day.

    Parameters
    ----------
    deviations : (k,) of the quotes from what their past predicts
    covariance : (k, k) of these
    is_mature : (k,) quotes with enough history to be accused
    excess : variance that the scores of earlier days had; more than 1 where the covariance of many
        quotes is known from few days
    """
    k = len(deviations)
    if k < FEWEST_QUOTES:
        return Judgement.none(k)
    scores, chances, errors = np.empty(k), np.empty(k), np.empty(k)
    codes = np.where(is_mature, Code.IN_LINE, Code.NOT_SCREENED)
    clean, degrees = np.arange(k), np.nan
    while True:
        precision = np.linalg.inv(covariance[np.ix_(clean, clean)])
        pull = precision @ deviations[clean]
        variances = 1 / np.diag(precision)
        z = pull * np.sqrt(variances / excess)
        misfit, count = float(deviations[clean] @ pull), len(clean)
        degrees = DEGREES + count - 1
        # The scale of a quote's error is decided by all others, too.
        scores[clean] = z / np.sqrt((DEGREES + np.maximum(misfit - z**2, 0.0)) / degrees)
        chances[clean] = wrong_probabilities(z, misfit, DEGREES, count, SHARE_OF_DAYS)
        errors[clean] = pull * variances
        named = clean[fewest_that_explain(chances[clean], 1 - FALSE_DISCOVERIES)]
        is_clear = len(named) == 1 and is_mature[named[0]]
        if not is_clear or k - count >= max(1, LARGEST_SHARE * k) or count <= FEWEST_QUOTES:
            break
        codes[named] = Code.ACCUSED
        clean = clean[clean != named[0]]
    if 1 < len(named) <= max(2, LARGEST_SHARE * k) and is_mature[named].all():
        codes[named] = Code.ONE_OF
    is_clean = np.zeros(k, bool)
    is_clean[clean] = True
    return Judgement(scores, degrees, chances, errors, codes, is_clean)
