"""What the quotes of caps and floors mean, and what no market has quoted so.

One set of checks for files, arrays and quotes. The last axis has the quotes; files have their days
in the axis before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.checks import SAME_STRIKE
from calibscope.market.instruments.cap_grid import CapGrid, Meaning, prices_of
from calibscope.market.quotes import Kind, VolType

# No Euro market has quoted more: larger numbers are in another unit.
LARGEST_VOLS: dict[VolType, tuple[float, str]] = {
    "normal": (0.1, "85 bp is 0.0085"),
    "lognormal": (20.0, "35 percent is 0.35"),
    "shifted_lognormal": (20.0, "35 percent is 0.35"),
}
LARGEST_NORMAL_VOL = LARGEST_VOLS["normal"][0]  # also of prices
USUAL_NORMAL_VOL = 0.03  # 300 bp; beyond, a quote is to be reviewed


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one quote."""

    check: str  # such as "quoted twice": findings are counted by it
    place: tuple[int, ...]  # of the quote, after its day where there are several
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class CapQuotes:
    """Strikes, prices and normal vols of quotes of caps and floors."""

    quoted: Array  # (..., m) prices or vols as given, decimal; NaN: no quote
    meanings: Sequence[Meaning]  # (m,)
    strikes: Array  # (..., m)
    prices: Array  # (..., m) per unit notional
    normal_vols: Array  # (..., m) given, or implied by the prices; NaN: there is none
    sizes: Array  # (..., m) the same, and a rough number where none is implied

    @classmethod
    def of(
        cls,
        grid: CapGrid,
        discounts: Array,
        strikes: Array,
        quoted: Array,
        meanings: Sequence[Meaning],
        kinds: Sequence[Kind],
    ) -> "CapQuotes":
        """Quotes on curves.

        Parameters
        ----------
        grid : the dates of the caps
        discounts : (..., N + 1) at these dates
        strikes, quoted : (..., m)
        meanings, kinds : (m,)

        Returns
        -------
        CapQuotes
            with prices and vols
        """
        caplets = grid.caplets(discounts, strikes)
        prices = prices_of(caplets, quoted, meanings, kinds)
        is_normal = np.array(
            [meaning is not None and meaning[0] == "normal" for meaning in meanings]
        )
        vols = quoted
        if not is_normal.all():
            vols = np.where(is_normal, quoted, caplets.implied_normal_vols(prices, kinds))
        sizes = np.where(np.isnan(vols), caplets.rough_normal_vols(prices), vols)
        return cls(quoted, meanings, strikes, prices, vols, sizes)

    def only(self, kept: BoolArray) -> "CapQuotes":
        """The same for some of the days."""
        return replace(
            self,
            quoted=self.quoted[kept],
            strikes=self.strikes[kept],
            prices=self.prices[kept],
            normal_vols=self.normal_vols[kept],
            sizes=self.sizes[kept],
        )

    def faults(self, near_zero: float = 0.0) -> list[Fault]:
        """Quotes that cannot be: no price, or none that a market has.

        Parameters
        ----------
        near_zero : the price per unit notional below which a quote is refused

        Returns
        -------
        list[Fault]
            at most one of each check for a quote
        """
        given = ~np.isnan(self.quoted)
        is_far = given & (np.abs(self.strikes) >= 1)
        is_large = given & ~is_far & self._is_large
        none = given & np.isnan(self.prices)
        # A quote that is too large, or too small, is not said to be below its intrinsic value too.
        is_small = given & ~is_far & ((self.prices < near_zero) | (self.prices <= 0))
        is_low = given & np.isnan(self.normal_vols) & ~(none | is_far | is_large | is_small)
        return [
            *faults("no price", none & ~is_far, self._no_price),
            *faults("below intrinsic value", is_low, self._low),
            *faults("implausible", is_far, self._far),
            *faults("implausible", is_large, self._large),
            *faults("near zero", is_small, lambda *place: self._small(near_zero, *place)),
        ]

    def unusual(self) -> list[Fault]:
        """Quotes to be reviewed, which may be right."""
        large = (self.normal_vols > USUAL_NORMAL_VOL) & ~self._is_large
        return faults(
            "high vol",
            large,
            lambda *place: (
                f"normal vol is {1e4 * self.normal_vols[place]:.4g} bp, and up to "
                f"{1e4 * USUAL_NORMAL_VOL:g} bp is usual; is it right?"
            ),
        )

    @property
    def _is_large(self) -> BoolArray:
        """(..., m) beyond the largest vols."""
        most = [LARGEST_VOLS[meaning[0]][0] if meaning else np.inf for meaning in self.meanings]
        return np.asarray((self.quoted > most) | (self.normal_vols > LARGEST_NORMAL_VOL))

    def _no_price(self, *place: int) -> str:
        meaning = self.meanings[place[-1]]
        name = "lognormal" if meaning is None else meaning[0].replace("_", " ")
        return (
            f"strike {self.strikes[place]:g} or a forward rate is not positive, so it has no "
            f"{name} vol; give normal vols, or shifted lognormal ones with a larger vol_shift"
        )

    def _low(self, *place: int) -> str:
        return (
            f"price {self.prices[place]:g} per unit notional has no normal vol, it is not above "
            "the intrinsic value; strike, curve or first_caplet do not go with it"
        )

    def _far(self, *place: int) -> str:
        strike = self.strikes[place]
        return (
            f"strike is {strike:g}, which is {100 * strike:g} percent; correct it, or its unit "
            "(2 percent is 0.02)"
        )

    def _large(self, *place: int) -> str:
        meaning, vol = self.meanings[place[-1]], self.quoted[place]
        if meaning is None:
            return (
                f"price is {self.prices[place]:g} per unit notional, a normal vol of "
                f"{1e4 * self.sizes[place]:.4g} bp; is it in bp or percent, or for another "
                "notional? (46 bp is 0.0046)"
            )
        name = meaning[0].replace("_", " ")
        return f"{name} vol is {vol:g}; correct it, or its unit ({LARGEST_VOLS[meaning[0]][1]})"

    def _small(self, near_zero: float, *place: int) -> str:
        price = self.prices[place]
        if price <= 0:
            return f"price is {price:g}; it must be positive (is the strike right?)"
        return (
            f"price {price:.3g} per unit notional is below {near_zero:g}, and its weight 1/y^2 "
            "would decide the fit alone; checks.near_zero_price sets the limit"
        )


def faults(check: str, marks: BoolArray, text: Callable[..., str]) -> list[Fault]:
    """One for each of the marked quotes; `text` is called with its place."""
    places = [tuple(place) for place in np.argwhere(marks).tolist()]
    return [Fault(check, place, text(*place)) for place in places]


def twice(kinds: Sequence[Kind], counts: Indices, strikes: Array, prices: Array) -> list[Fault]:
    """Caps or floors quoted twice: the same maturity and strike, whatever the prices.

    They would pull on the fit with twice their weight, or towards two prices at once.

    Parameters
    ----------
    kinds, counts : (m,) cap or floor, and how many periods it covers
    strikes, prices : (..., m); a price of NaN is no quote

    Returns
    -------
    list[Fault]
        one for the later of two
    """
    places: dict[tuple[Kind, int], list[int]] = {}
    for k, key in enumerate(zip(kinds, counts.tolist(), strict=True)):
        places.setdefault(key, []).append(k)
    found = []
    for several in (np.array(same) for same in places.values() if len(same) > 1):
        some = np.where(np.isnan(prices[..., several]), np.nan, strikes[..., several])
        order = np.argsort(some, axis=-1, kind="stable")
        gaps = np.diff(np.take_along_axis(some, order, axis=-1), axis=-1)
        for *day, k in np.argwhere(gaps <= SAME_STRIKE).tolist():
            pair = sorted(several[order[tuple(day)][k : k + 2]].tolist())
            first, second = ((*day, one) for one in pair)
            text = _twice(kinds[pair[0]], strikes[first], prices[first], prices[second])
            entries = "" if day else f" (entries {pair[0] + 1} and {pair[1] + 1})"
            found.append(
                Fault("quoted twice", second, f"{text}{entries}; keep one, or correct a strike")
            )
    return found


def _twice(kind: Kind, strike: float, price: float, again: float) -> str:
    one, other = f"{price:.10g}", f"{again:.10g}"
    quoted = f"both times at {one}, a duplicate" if one == other else f"at {one} and at {other}"
    return f"the {kind} with strike {strike:.6g} is quoted twice, {quoted}"


def bid_ask_faults(prices: Array, bid_ask: Array) -> list[Fault]:
    """Prices outside their own bid and ask; a quote may have neither (both NaN).

    Parameters
    ----------
    prices : (..., m)
    bid_ask : (..., m, 2)

    Returns
    -------
    list[Fault]
        one for each quote that is not in order
    """
    bid, ask = bid_ask[..., 0], bid_ask[..., 1]
    in_order = (bid > 0) & (bid <= prices) & (prices <= ask) & (ask < np.inf)
    return faults(
        "bid and ask",
        ~in_order & ~(np.isnan(bid) & np.isnan(ask)),
        lambda *place: (
            f"bid {bid[place]:g}, price {prices[place]:g}, ask {ask[place]:g}; they must be in "
            "this order and positive"
        ),
    )
