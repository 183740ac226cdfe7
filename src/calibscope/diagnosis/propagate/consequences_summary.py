"""The summary of consequences: which fits look alike and mean different things, in sentences.

For each measure (probabilities, prices, ...) the quantity on which fits of nearly the same error
disagree most gets a sentence, with the parameters of both; the most material one comes first.
"""

from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import PERCENT, number

if TYPE_CHECKING:
    from calibscope.diagnosis.propagate.consequences import Consequences


def summary_of(found: "Consequences") -> str:
    """Sentences on the near-optimal set, then on the delta method."""
    return " ".join([*_near_optimal(found), *_cautions(found)])


def _near_optimal(found: "Consequences") -> list[str]:
    if not found.has_near_optimal:
        return []
    contrast = found.contrast
    materiality = [int(q) for q in np.argsort(-contrast, stable=True) if contrast[q] > 1.0]
    if not materiality:
        return [
            f"The fits that are known to be {_allowed(found)} agree on all {len(found.labels)} "
            "quantities."
        ]
    first = {
        found.measures[q]: q for q in reversed(materiality)
    }  # the most material of each measure
    sentences = [_pair(found, q) for q in sorted(first.values(), key=materiality.index)]
    if more := len(materiality) - len(first):
        sentences.append(f"They disagree on {more} more of {len(found.labels)} quantities.")
    return sentences


def _pair(found: "Consequences", q: int) -> str:
    """Both ends of the near-optimal set of one quantity, with their parameters."""
    values, measure = found.point_values[:, q], found.measures[q]
    low, high = (
        f"{measure.text(values[k])} ({_parameters(found.names, found.points[k])})"
        for k in (int(values.argmin()), int(values.argmax()))
    )
    return f"Two fits that are {_allowed(found)} put {found.labels[q]} at {low} and at {high}."


def _allowed(found: "Consequences") -> str:
    """Which fits count, by the level and by what they have in common."""
    return (
        f"possible at {PERCENT.text(found.level)} ({found.error} up to "
        f"{PERCENT.text(found.factor - 1)} above the best)"
    )


def _cautions(found: "Consequences") -> list[str]:
    doubtful, sentences = int(np.sum(~found.is_identified | found.is_collapsed)), []
    if doubtful:
        sentences.append(
            f"{doubtful} of {len(found.labels)} delta intervals mean little, because the quotes "
            "leave a combination of parameters open."
        )
    if found.has_strong_curvature:
        sentences.append(
            "The model is curved in a flat direction, and delta intervals ignore that: prefer the "
            "range of possible fits."
        )
    return sentences


def _parameters(names: tuple[str, ...], point: Array) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in zip(names, point, strict=True))
