"""The published tables of the synthetic market: built once, rounded, with a hash that is fixed."""

import hashlib
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.market.panel import Dates
from calibscope.market.synthetic.chance import cached_by_seed
from calibscope.market.synthetic.curves import discount_factors
from calibscope.market.synthetic.gaps import Gap, complete_days, planted_gaps, with_gaps
from calibscope.market.synthetic.quoting import quoted
from calibscope.market.synthetic.timeline import market_dates
from calibscope.market.synthetic.vols import caplets_of, true_vols

PRICE_DIGITS, STRIKE_DIGITS, FACTOR_DIGITS = 8, 8, 10
NOTHING = -(2**62)  # how a gap is hashed


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What is published, gaps included, and what was planted in it (days by their place)."""

    dates: Dates  # (n,)
    prices: Array  # (n, 13)
    strikes: Array  # (n, 13)
    factors: Array  # (n, 55)
    gaps: dict[int, Gap]
    outliers: tuple[tuple[int, int, float], ...]  # day, cap, relative size
    stale: tuple[int, ...]

    @property
    def fingerprint(self) -> str:
        """SHA-256 over dates and published digits as integers: no float formatting involved."""
        digest = hashlib.sha256(self.dates.astype("<i8").tobytes())
        for values, digits in (
            (self.prices, PRICE_DIGITS),
            (self.strikes, STRIKE_DIGITS),
            (self.factors, FACTOR_DIGITS),
        ):
            whole = np.round(np.nan_to_num(values) * 10.0**digits).astype("<i8")
            digest.update(np.where(np.isnan(values), np.int64(NOTHING), whole).tobytes())
        return digest.hexdigest()


@cached_by_seed
def published_tables() -> Tables:
    """Build the market."""
    factors = discount_factors()
    strikes, caplets = caplets_of(factors)
    gaps = planted_gaps()
    quotes = quoted(true_vols(factors, caplets), strikes, caplets, complete_days(gaps))
    prices, strikes, factors = with_gaps(quotes.prices, quotes.strikes, factors, gaps)
    return Tables(
        dates=market_dates(),
        prices=frozen(prices),
        strikes=frozen(strikes),
        factors=frozen(factors),
        gaps=gaps,
        outliers=quotes.outliers,
        stale=quotes.stale,
    )
