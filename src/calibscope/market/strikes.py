"""Which convention do the given strikes follow? Their distance from the curve's swap rates.

Quoted caps exclude the caplet that is fixed today, and their at-the-money strike is the forward
swap rate from the first reset; others use today's swap rate and include it. Where neither fits,
the strikes come from another curve: usually Euribor forwards, while the setting here is a single
(OIS) curve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from calibscope.base.arrays import Array

ROUNDING_BP = 0.5  # strikes are often published to the basis point


class Verdict(Enum):
    """What the given strikes agree with, in a sentence."""

    FORWARD = "the strikes are forward swap rates: first caplet excluded"
    SPOT = "the strikes are today's swap rates: first caplet included"
    BASIS = "the strikes fit neither convention: they come from another curve (Euribor-OIS basis?)"

    @property
    def rate(self) -> str:
        """The rate of the convention."""
        return "today's swap rate" if self is Verdict.SPOT else "the forward swap rate"


@dataclass(frozen=True, slots=True, eq=False)
class StrikeGaps:
    """Given minus recomputed strikes, medians over the days, in bp."""

    labels: tuple[str, ...]  # (m,) of the quotes at the money whose strikes were given
    forward: Array  # (m,) bp, against forward swap rates from the first reset
    spot: Array  # (m,) bp, against today's swap rates
    verdict: Verdict
    nearer: Verdict  # which convention the gaps are steadier under, whatever their size

    @classmethod
    def between(
        cls,
        labels: Sequence[str],
        given: Array,
        forward: Array,
        spot: Array,
        expected: Verdict,
        tolerance_bp: float,
    ) -> "StrikeGaps":
        """Compare given strikes with both conventions, (n, m) decimals each.

        On a flat curve both fit, up to rounding: then it is the `expected` one.

        Parameters
        ----------
        labels : (m,) of the quotes
        given : (n, m) strikes of the file
        forward, spot : (n, m) strikes of the two conventions
        expected : what the settings say
        tolerance_bp : up to which strikes agree

        Returns
        -------
        StrikeGaps
            the gaps and a verdict
        """
        gaps = {Verdict.FORWARD: 1e4 * (given - forward), Verdict.SPOT: 1e4 * (given - spot)}
        sizes = {verdict: float(np.nanmedian(np.abs(gap))) for verdict, gap in gaps.items()}
        by_maturity = {verdict: np.nanmedian(gap, axis=0) for verdict, gap in gaps.items()}
        best = min(sizes, key=lambda verdict: sizes[verdict])
        if sizes[expected] <= ROUNDING_BP:
            best = expected
        fits = sizes[best] <= tolerance_bp
        if not fits:  # a basis moves all strikes alike, the wrong convention short ones more
            spreads = {
                verdict: float(np.nanmax(gap) - np.nanmin(gap))
                for verdict, gap in by_maturity.items()
            }
            best = min(spreads, key=lambda verdict: spreads[verdict])
        return cls(
            labels=tuple(labels),
            forward=by_maturity[Verdict.FORWARD],
            spot=by_maturity[Verdict.SPOT],
            verdict=best if fits else Verdict.BASIS,
            nearer=best,
        )

    @property
    def basis_bp(self) -> float:
        """The typical gap under the convention that is nearer.

        The median of abs(K_given - K) in basis points, K = the swap rate (paper, section 2.2, on
        at-the-money strikes).
        """
        return float(np.nanmedian(self.spot if self.nearer is Verdict.SPOT else self.forward))
