"""Quantities: numbers that follow from parameters, and matter more than the parameters do.

Two questions to whoever was fitted, each a small protocol: which numbers follow (`Quantities`), and
which other parameters fit nearly as well (`Alternatives`). G2++ on caps answers both through its
`Refit`; any other client of a diagnosis can hand over the same.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.measures import Quantities


class Alternatives(Protocol):
    """Parameters that fit nearly as well as the best: who looks at the fit alone, cannot choose."""

    @property
    def points(self) -> Array:
        """(k, p)."""

    @property
    def factor(self) -> float:
        """Of the best error, within which all of them stay; above 1."""

    @property
    def error(self) -> str:
        """What stays within the factor: "RMSRE"."""


@runtime_checkable
class Answers(Protocol):
    """A `Refit` that knows what follows from its parameters."""

    @property
    def has_quantities(self) -> bool:
        """Whether there are any."""

    def quantities(self, horizons: ArrayLike | None, instruments: Sequence[Any]) -> Quantities:
        """What is asked for, at horizons in years (None: the usual), and of instruments."""

    def nearly_as_good(self, parameters: Array, followed: Quantities, limit: float) -> Alternatives:
        """Fits with an objective up to a limit, as far apart in these numbers as can be.

        The best of them has parameters (p,).
        """
