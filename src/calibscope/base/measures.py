"""What kind of number a result is: its unit, and the scale on which its error is roughly normal."""

from dataclasses import dataclass
from typing import Literal, Protocol

from calibscope.base.arrays import Array
from calibscope.base.numbers import Unit

Transform = Literal["log", "logit", "identity"]


@dataclass(frozen=True, slots=True)
class Measure:
    """How one kind of number is read; the numbers themselves are decimals."""

    name: str
    unit: str
    factor: float  # from decimals to the unit
    transform: Transform  # positive numbers, shares, and those of either sign

    def text(self, value: float) -> str:
        """A decimal in its unit, with three digits.

        >>> PROBABILITY.text(0.12345), SPREAD.text(-0.00101)
        ('12.3 %', '-10.1 bp')

        Parameters
        ----------
        value : a decimal

        Returns
        -------
        str
            such as "12.3 %"
        """
        return Unit(self.unit, self.factor).text(value)


PROBABILITY = Measure("probability", "%", 100.0, "logit")
DEVIATION = Measure("standard deviation", "bp", 1e4, "log")
SPREAD = Measure("difference of rates", "bp", 1e4, "identity")
PRICE = Measure("price per notional", "%", 100.0, "log")


class Quantities(Protocol):
    """Numbers q(theta) that follow from p parameters, with their derivatives."""

    @property
    def labels(self) -> tuple[str, ...]:
        """(q,) how tables name them; no two alike."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """(q,) what kind of number each is."""

    def values(self, parameters: Array) -> Array:
        """(n, q) at parameters (n, p).

        Parameters
        ----------
        parameters : (n, p)

        Returns
        -------
        Array
            (n, q)
        """

    def gradients(self, parameters: Array) -> Array:
        """(q, p) at parameters (p,); not a number where there is none.

        Parameters
        ----------
        parameters : (p,)

        Returns
        -------
        Array
            (q, p)
        """
