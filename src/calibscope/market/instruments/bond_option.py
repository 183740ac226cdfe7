"""European options on zero-coupon bonds.

A call with expiry T pays :math:`(P(T, S) - X)^+` for the bond that pays 1 at S, a put the opposite:
two cash flows (Brigo and Mercurio, 2006, section 2.6).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from calibscope.base.brief import brief
from calibscope.base.spelling import choose_from
from calibscope.market.inputs import is_number
from calibscope.market.instruments.options import Options
from calibscope.market.maturity import label as maturity_label

if TYPE_CHECKING:
    from calibscope.market.day import MarketDay


@dataclass(frozen=True, slots=True)
class BondOption:
    """A European option on a zero-coupon bond that pays 1 at maturity.

    Examples
    --------
    >>> BondOption(expiry=5, maturity=15, strike=0.8).label
    'call 5Y on 15Y bond at 0.8'
    """

    expiry: float  # years from today
    maturity: float  # of the bond, years from today
    strike: float | None = None  # price of the bond; None means its forward price
    kind: Literal["call", "put"] = "call"

    def __post_init__(self) -> None:
        if not (is_number(self.expiry) and is_number(self.maturity)) or not (
            0 < self.expiry < self.maturity
        ):
            raise ValueError(
                f"expiry is {brief(self.expiry)}, maturity {brief(self.maturity)}; need "
                "0 < expiry < maturity, both in years from today"
            )
        if self.strike is not None and not (is_number(self.strike) and self.strike > 0):
            raise ValueError(f"strike is {brief(self.strike)}; give a positive price, such as 0.8")
        if self.kind not in ("call", "put"):
            raise ValueError(f"kind is {self.kind!r}; {choose_from(('call', 'put'), self.kind)}")

    @property
    def label(self) -> str:
        """How tables name it."""
        struck = "ATM" if self.strike is None else f"at {self.strike:.4g}"
        expiry, maturity = maturity_label(self.expiry), maturity_label(self.maturity)
        return f"{self.kind} {expiry} on {maturity} bond {struck}"

    @property
    def coordinates(self) -> Mapping[str, float]:
        """Expiry and maturity in years; the strike is a price, not a rate."""
        return {"expiry": self.expiry, "maturity": self.maturity}

    def options(self, day: "MarketDay") -> Options:
        """One option, on one bond.

        Parameters
        ----------
        day : whose curve gives the forward price

        Returns
        -------
        Options
            a single one
        """
        strike = self.strike
        if strike is None:
            P_expiry, P_maturity = day.curve.discount([self.expiry, self.maturity])
            strike = float(P_maturity / P_expiry)
        sign = 1.0 if self.kind == "call" else -1.0
        return Options.of_two_flows(self.expiry, self.maturity, -sign * strike, sign)
