"""One day's verdict: is a quote wrong, and is it clear which?

Each quote's error is taken against the prediction from all others; the explanations "this one is
wrong" and "none is" compete (`base/explanations.py`). A quote is accused if it explains the day
alone with the wanted probability. If two or three do so only together, the verdict names them all.
An accused quote is set aside and the others are judged again.

Several quotes that are off together compete, too (`groups.py`): "all of these are off by one share"
lowers the misfit by the square of their common error in standard deviations. Such an explanation
names nobody, for a move of the market may look like it: where all explanations but "nothing is
wrong" have the wanted probability together and nobody is named, the day is unusual.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.explanations import fewest_that_explain, wrong_probabilities

# Before anything is known, one day in five has a wrong quote, and one in twenty has several
# that are off together. Of the accusations, at most one in five is expected to be false.
SHARE_OF_DAYS = 0.2
SHARE_OF_JOINT = 0.05
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
    UNUSUAL = 6


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Of the k quotes of a day."""

    scores: Array  # errors against the prediction, in standard deviations
    degrees: float  # of freedom of the scores, which are t distributed
    chances: Array  # probabilities of being wrong
    errors: Array  # quote minus prediction
    codes: Indices
    is_clean: BoolArray  # not accused
    means: Array  # (k,) what the quotes are expected to be off by
    doubts: Array  # (k,) its variance

    @property
    def is_unusual(self) -> bool:
        """Whether the quotes moved unlike their past, and nobody can say which is wrong."""
        return bool((self.codes == Code.UNUSUAL).any())

    @property
    def is_judged(self) -> bool:
        """Whether there are enough quotes."""
        return bool(np.isfinite(self.degrees))

    @classmethod
    def none(cls, k: int) -> "Judgement":
        """Where quotes are too few."""
        nothing = np.full(k, np.nan)
        codes = np.full(k, Code.NOT_SCREENED)
        zero = np.zeros(k)
        return cls(nothing, np.nan, zero, nothing, codes, np.ones(k, bool), zero, zero)


def judge(
    deviations: Array,
    covariance: Array,
    is_mature: BoolArray,
    excess: float = 1.0,
    groups: BoolArray | None = None,
) -> Judgement:
    """Judge the quotes of a day.

    Parameters
    ----------
    deviations : (k,) of the quotes from what their past predicts
    covariance : (k, k) of these
    is_mature : (k,) quotes with enough history to be accused
    excess : variance that the scores of earlier days had; more than 1 where the covariance of many
        quotes is known from few days
    groups : (g, k) quotes that may be off together
    """
    k = len(deviations)
    if k < FEWEST_QUOTES:
        return Judgement.none(k)
    scores, chances, errors = np.empty(k), np.empty(k), np.empty(k)
    codes = np.where(is_mature, Code.IN_LINE, Code.NOT_SCREENED)
    clean, degrees = np.arange(k), np.nan
    every = np.zeros((0, k), bool) if groups is None else groups
    while True:
        precision = np.asarray(np.linalg.inv(covariance[np.ix_(clean, clean)]), np.float64)
        pull = precision @ deviations[clean]
        variances = 1 / np.diag(precision)
        z = pull * np.sqrt(variances / excess)
        misfit, count = float(deviations[clean] @ pull), len(clean)
        degrees = DEGREES + count - 1
        # The scale of a quote's error is decided by all others, too.
        scores[clean] = z / np.sqrt((DEGREES + np.maximum(misfit - z**2, 0.0)) / degrees)
        together = _inside(every, clean)
        joint = _Joint.of(together, precision, pull)
        found = wrong_probabilities(
            np.append(z, joint.scores / np.sqrt(excess)), misfit, DEGREES, count,
            np.append(np.full(count, SHARE_OF_DAYS / count),
                      np.full(len(together), SHARE_OF_JOINT / max(len(together), 1))),
        )  # fmt: skip
        chances[clean], jointly = found[:count], found[count:]
        errors[clean] = pull * variances
        named = clean[fewest_that_explain(chances[clean], 1 - FALSE_DISCOVERIES)]
        is_clear = len(named) == 1 and is_mature[named[0]]
        if not is_clear or k - count >= max(1, LARGEST_SHARE * k) or count <= FEWEST_QUOTES:
            break
        codes[named] = Code.ACCUSED
        clean = clean[clean != named[0]]
    if 1 < len(named) <= max(2, LARGEST_SHARE * k) and is_mature[named].all():
        codes[named] = Code.ONE_OF
    elif not len(named) and found.sum() >= 1 - FALSE_DISCOVERIES:
        codes[codes == Code.IN_LINE] = Code.UNUSUAL
    is_clean = np.zeros(k, bool)
    is_clean[clean] = True
    means, squares = chances * errors, chances * errors**2
    # A joint error may as well be a move: as likely gone tomorrow as not.
    means[clean] += 0.5 * (jointly * joint.errors) @ together
    squares[clean] += 0.5 * (jointly * joint.errors**2) @ together
    doubts = np.maximum(squares - means**2, 0.0)
    return Judgement(scores, degrees, chances, errors, codes, is_clean, means, doubts)


class _Joint(NamedTuple):
    """Errors that groups have in common."""

    scores: Array  # (g,) in standard deviations
    errors: Array  # (g,)

    @classmethod
    def of(cls, members: BoolArray, precision: Array, pull: Array) -> "_Joint":
        size = np.sqrt((members @ precision * members).sum(axis=1))
        common = members @ pull
        return cls(common / size, common / size**2)


def _inside(groups: BoolArray, clean: Indices) -> BoolArray:
    """(g, c) the groups all of whose members are clean."""
    if groups.shape[1] == len(clean):
        return groups
    is_inside = groups[:, clean].sum(axis=1) == groups.sum(axis=1)
    return np.asarray(groups[np.ix_(is_inside, clean)])
