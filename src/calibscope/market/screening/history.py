r"""What the past says about the next day's quotes, learnt day after day.

All is in logs of normal vols. A quote has a `reference`, its last value that nobody doubts, and a
slow mean. The changes from the references, :math:`\Delta`, and the departures of the references
from the slow means, w, are jointly normal with second moments that are weighted exponentially over
the past. So a departure that tends to come back, as the noise of quoting does, is expected to come
back, and a move of the market to stay:

.. math:: \Delta \mid w \sim N(B w,\; \sigma^2 S), \quad B = C_{\Delta w} C_{ww}^{-1}, \quad
    S = C_{\Delta\Delta} - B C_{w\Delta}

:math:`\sigma^2`, the turbulence, is an exponentially weighted mean of the last days' misfits;
each day enters the moments divided by its own, so that a crisis does not outweigh the years.

A quote that is missing or accused takes the value that the others predict, with the uncertainty of
that (the E-step of Dempster, Laird and Rubin, 1977): when it comes back it is compared with what it
should have been. A quote in doubt takes the mean of both by their probabilities. Nothing of a day
is learnt before it is judged, and nothing later changes its verdicts.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.screening.groups import alike_groups
from calibscope.market.screening.judge import DEGREES, Code, Judgement, judge

# Half-lives in days with quotes; chosen on odd years of the synthetic market.
MEMORY = 250.0  # of second moments
SLOW = 5.0  # of the slow means
TURBULENCE = 3.0

FEWEST_DAYS = 20  # before a quote can be accused
PATIENCE = 5  # days in a row on which a quote is accused, before it is taken to have moved
FORGOTTEN = 60  # days without a quote, after which it starts anew

FIRST_CHANGE, FIRST_DAYS = 0.02, 10.0  # before anything is seen: its size, worth so many days
SMOOTHNESS = 0.25  # days per quote that the correlations of smooth curves are worth
RESOLUTION = 5e-4  # no smaller change is news: vols are quoted in steps
LEAST_TURBULENCE = 0.05
# Standard deviations that an accused quote counts for in its second moments. If it did not count at
# all, a quote that is merely noisy would be accused, taught nothing, and accused again.
WINSORISED = 3.0


def _kept(half_life: float) -> float:
    return float(0.5 ** (1 / half_life))


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """Of the k known quotes on the next day."""

    known: Indices
    values: Array  # log vols
    covariance: Array  # of their changes
    doubt: Array  # what the uncertainty of the references adds to the variances


@dataclass(frozen=True, slots=True, eq=False)
class ScreenedDay:
    """A judgement of the quotes at `places`, and what all known quotes should have been."""

    places: Indices
    judgement: Judgement
    known: Indices
    expected: Array


class History:
    """What is known after some days: `screen` judges the next one and learns from it."""

    def __init__(self, similarity: Array) -> None:
        m = len(similarity)
        self.similarity = similarity
        self._groups: dict[bytes, BoolArray] = {}  # of the quotes of the last day
        self.is_known = np.zeros(m, bool)
        self.days_seen, self.days_unseen, self.days_accused = np.zeros((3, m), np.int64)
        self.reference, self.doubt, self.slow = np.zeros((3, m))
        # Sums of products of (changes, departures), and how many days they are worth.
        self.moments = np.zeros((2, 2, m, m))
        self.weight = FIRST_DAYS
        self.turbulence = 1.0  # a variance
        self.excess = 1.0  # of the scores' variance, as it was on average

    def screen(self, row: Array, gap: float) -> ScreenedDay:
        """Judge a day, then learn from it.

        Parameters
        ----------
        row : (m,) log vols, NaN where nothing is quoted
        gap : business days since the last one
        """
        expected = self.expect(gap)
        known = expected.known
        is_quoted = np.isfinite(row[known])
        places = known[is_quoted]
        covariance = (expected.covariance + np.diag(expected.doubt))[np.ix_(is_quoted, is_quoted)]
        found = judge(
            row[places] - expected.values[is_quoted],
            covariance,
            self.days_seen[places] >= FEWEST_DAYS,
            self.excess,
            self.groups_of(places),
        )
        if found.is_judged:
            self._rescale(found)
        values = expected.values
        if len(known):
            values = self._learn(row, expected, is_quoted, found, gap)
        self._accept_moves(row, places, found)
        self._count(row)
        values[is_quoted] = np.where(found.is_judged, row[places] - found.errors, values[is_quoted])
        return ScreenedDay(places, found, known, values)

    def groups_of(self, places: Indices) -> BoolArray:
        """(g, k) those of the quotes at these places that may be wrong together."""
        key = places.tobytes()
        if key not in self._groups:
            self._groups = {key: alike_groups(self.similarity[np.ix_(places, places)])}
        return self._groups[key]

    def expect(self, gap: float) -> Expectation:
        """What comes `gap` business days after the last day."""
        known = np.flatnonzero(self.is_known)
        changes, crossed, departures = self._shrunk_moments(known)
        back = np.linalg.solve(departures, crossed.T).T
        values = self.reference[known] + back @ (self.reference[known] - self.slow[known])
        covariance = self.turbulence * np.sqrt(gap) * (changes - back @ crossed.T)
        return Expectation(
            known, values, 0.5 * (covariance + covariance.T), self.doubt[known].copy()
        )

    def _shrunk_moments(self, known: Indices) -> tuple[Array, Array, Array]:
        """Second moments per day, drawn towards those of smooth curves."""
        inside, k = np.ix_(known, known), len(known)
        prior = SMOOTHNESS * k
        days = self.weight + prior

        def shrunk(sums: Array) -> Array:
            size = np.sqrt(np.diag(sums) / self.weight)
            smooth = size[:, None] * self.similarity[inside] * size
            total: Array = (sums + prior * smooth) / days
            return total + RESOLUTION**2 * np.eye(k)

        own, other = self.moments[0, 0][inside], self.moments[1, 1][inside]
        return shrunk(own), self.moments[0, 1][inside] / days, shrunk(other)

    def _learn(
        self, row: Array, expected: Expectation, is_quoted: BoolArray, found: Judgement, gap: float
    ) -> Array:
        """Take the day in; return what clean quotes say about all known ones."""
        known = expected.known
        is_clean, means, doubts = np.zeros(len(known), bool), *np.zeros((2, len(known)))
        is_clean[is_quoted] = found.is_clean
        means[is_quoted], doubts[is_quoted] = found.means, found.doubts
        among = expected.covariance[:, is_clean]
        noisy = among[is_clean] + np.diag(expected.doubt[is_clean])
        deviations = (row[known] - expected.values)[is_clean]
        solved = np.linalg.solve(noisy, np.column_stack((among.T, deviations)))
        values = expected.values + among @ solved[:, -1]
        uncertainty = expected.covariance - among @ solved[:, :-1]
        spread = np.maximum(np.diag(uncertainty), 0.0)

        # References: clean quotes as they are, as far as they are not in doubt.
        reference = np.where(is_clean, row[known] - means, values)
        doubt = np.where(is_clean, doubts, expected.doubt + spread)

        misfit, count = float(deviations @ solved[:, -1]), len(deviations)
        today = self.turbulence * np.sqrt(gap) * (DEGREES + misfit) / (DEGREES + count)
        change = reference - self.reference[known]
        departure = self.reference[known] - self.slow[known]
        unseen = np.where(np.logical_or.outer(is_clean, is_clean), 0.0, uncertainty)
        # An error that is believed to be none, or the part of an accused quote's that is usual.
        is_accused = is_quoted & ~is_clean
        errors = np.where(is_accused, row[known] - values, 0.0)
        own = spread + expected.doubt
        moved = np.clip(errors**2, own, WINSORISED**2 * own) - own
        unseen += np.diag(np.where(is_clean, doubts, np.where(is_accused, moved, 0.0)))
        inside = np.ix_(known, known)
        kept = _kept(MEMORY)
        self.moments *= kept
        self.weight = kept * self.weight + 1.0
        self.moments[0, 0][inside] += (np.outer(change, change) + unseen) / today
        self.moments[0, 1][inside] += np.outer(change, departure) / today
        self.moments[1, 1][inside] += np.outer(departure, departure) / today
        if count:
            usual = _kept(TURBULENCE)
            ratio = usual + (1 - usual) * misfit / count
            self.turbulence = max(self.turbulence * ratio, LEAST_TURBULENCE)
        self.reference[known], self.doubt[known] = reference, doubt
        self.slow[known] += (1 - _kept(SLOW)) * (reference - self.slow[known])
        return np.asarray(values)

    def _rescale(self, found: Judgement) -> None:
        """Keep the variance of the scores, which are t distributed, at what it should be."""
        usual = found.degrees / (found.degrees - 2)
        ratio = float(np.mean(found.scores[found.is_clean] ** 2)) / usual
        self.excess *= 1 + (1 - _kept(MEMORY)) * (ratio - 1)
        self.excess = max(self.excess, 1.0)

    def _accept_moves(self, row: Array, places: Indices, found: Judgement) -> None:
        """Quotes that were accused for too long stay where they are now."""
        is_accused = found.codes == Code.ACCUSED
        self.days_accused[places] = np.where(is_accused, self.days_accused[places] + 1, 0)
        has_moved = self.days_accused[places] > PATIENCE
        found.codes[has_moved] = Code.MOVED
        moved = places[has_moved]
        self.slow[moved] += row[moved] - self.reference[moved]
        self.reference[moved], self.doubt[moved] = row[moved], 0.0
        self.days_accused[moved] = 0

    def _count(self, row: Array) -> None:
        """Count the days of each quote; new ones come in, forgotten ones go."""
        is_quoted = np.isfinite(row)
        new = np.flatnonzero(is_quoted & ~self.is_known)
        if len(new):
            self._welcome(new)
            self.reference[new] = self.slow[new] = row[new]
            self.doubt[new] = self.days_seen[new] = self.days_accused[new] = 0
        self.days_seen[is_quoted] += 1
        self.days_unseen = np.where(is_quoted, 0, self.days_unseen + 1)
        self.is_known = (self.is_known | is_quoted) & (self.days_unseen <= FORGOTTEN)

    def _welcome(self, new: Indices) -> None:
        """Moments of quotes that are seen for the first time: as smooth curves have them."""
        known = np.flatnonzero(self.is_known)
        similar = self.similarity[np.ix_(known, known)]
        share = np.linalg.solve(similar, self.similarity[np.ix_(known, new)]).T
        alone = self.similarity[np.ix_(new, new)] - share @ self.similarity[np.ix_(known, new)]
        old, cross = np.ix_(known, known), np.ix_(new, known)
        # A departure from the slow mean collects the changes of its half-life.
        kept = _kept(SLOW)
        first = FIRST_CHANGE * np.array([1.0, kept / np.sqrt(1 - kept**2)])
        maps = []
        for which in (0, 1):
            sizes = np.sqrt(np.diag(self.moments[which, which])[known] / self.weight)
            size = np.median(sizes) if len(known) else first[which]
            maps.append((size, size * share / np.maximum(sizes, RESOLUTION)))
        for a in (0, 1):
            for b in (0, 1):
                block = self.moments[a, b]
                (size, left), right = maps[a], maps[b][1]
                block[cross] = left @ block[old]
                block[np.ix_(known, new)] = block[old] @ right.T
                own = self.weight * size**2 * alone if a == b else 0.0
                block[np.ix_(new, new)] = left @ block[old] @ right.T + own
