"""A whole history of quotes, screened day by day: arrays in, arrays out."""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.market.screening.history import History
from calibscope.market.screening.judge import Code


@dataclass(frozen=True, slots=True, eq=False)
class Screened:
    """Days by quotes (n, m); not a number where nothing is judged."""

    scores: Array  # errors against the prediction, in standard deviations
    degrees: Array  # (n,) of freedom of the scores, which are t distributed
    chances: Array  # probabilities of being wrong
    expected: Array  # log vols that past and neighbours predict, also of quotes that are missing
    codes: Indices


def screen(log_vols: Array, gaps: Array, similarity: Array) -> Screened:
    """Screen a history of days.

    Parameters
    ----------
    log_vols : (n, m) days by quotes; NaN where nothing is quoted
    gaps : (n,) business days since the row before
    similarity : (m, m) correlations of changes before anything is seen, positive definite
    """
    n, m = log_vols.shape
    scores, chances, expected = np.full((3, n, m), np.nan)
    degrees, codes = np.full(n, np.nan), np.full((n, m), Code.ABSENT)
    codes[np.isfinite(log_vols)] = Code.NOT_SCREENED
    history, waited = History(similarity), 0.0
    for day in range(n):
        waited += max(float(gaps[day]), 1.0)
        if not np.isfinite(log_vols[day]).any():
            continue
        found = history.screen(log_vols[day], waited)
        waited = 0.0
        verdict = found.judgement
        scores[day, found.places], codes[day, found.places] = verdict.scores, verdict.codes
        if verdict.is_judged:
            chances[day, found.places], degrees[day] = verdict.chances, verdict.degrees
        expected[day, found.known] = found.expected
    return Screened(scores, degrees, chances, expected, codes)
