"""Which convention do the given strikes follow? Their distance from the curve's swap rates.

Quoted caps exclude the caplet that is fixed today, and their at-the-money strike is the forward
swap rate from the first reset; others use today's swap rate and include it. Where neither fits,
the strikes come from another curve: usually Euribor forwards, while the setting here is a single
(OIS) curve.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from calibscope.base.arrays import Array


class Verdict(Enum):
    """What the given strikes agree with, in a sentence."""

    FORWARD = "the strikes are forward swap rates: first caplet excluded"
    SPOT = "the strikes are today's swap rates: first caplet included"
    BASIS = "the strikes fit neither convention: they come from another curve (Euribor-OIS basis?)"


@dataclass(frozen=True, slots=True, eq=False)
class StrikeGaps:
    """Given minus recomputed strikes, medians over the days, in bp."""

    maturities: Array  # (m,) years
    forward: Array  # (m,) bp, against forward swap rates from the first reset
    spot: Array  # (m,) bp, against today's swap rates
    verdict: Verdict

    @classmethod
    def between(
        cls, maturities: Array, given: Array, forward: Array, spot: Array, tolerance_bp: float
    ) -> "StrikeGaps":
        """Compare given strikes with both conventions, (n, m) decimals each."""
        gaps = {Verdict.FORWARD: 1e4 * (given - forward), Verdict.SPOT: 1e4 * (given - spot)}
        sizes = {verdict: float(np.median(np.abs(gap))) for verdict, gap in gaps.items()}
        best = min(sizes, key=lambda verdict: sizes[verdict])
        return cls(
            maturities=maturities,
            forward=np.median(gaps[Verdict.FORWARD], axis=0),
            spot=np.median(gaps[Verdict.SPOT], axis=0),
            verdict=best if sizes[best] <= tolerance_bp else Verdict.BASIS,
        )

    @property
    def basis_bp(self) -> float:
        """The typical gap under the convention that fits better."""
        return float(min(np.median(self.forward), np.median(self.spot), key=abs))
