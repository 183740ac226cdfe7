"""What all parts of one reading share: the settings, the words for a gap, and the problems.

Reading goes on after a problem, so that one error can name everything that is wrong with a file.
"""

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from calibscope.market.panel import CapQuantity, CurveQuantity, Quantity
from calibscope.market.quotes import Kind
from calibscope.market.readers.problems import Problems
from calibscope.market.readers.table import Cell
from calibscope.market.settings import FileSettings

Role = Literal["caps", "curve"]

QUANTITIES: dict[Role, tuple[Quantity, ...]] = {
    "caps": get_args(CapQuantity),
    "curve": get_args(CurveQuantity),
}
DEFAULT_QUANTITY: dict[Role, Quantity] = {"caps": "price", "curve": "discount_factor"}

GAPS = ("", "#n/a", "#n/a n/a", "n/a", "na", "#na", "#nv", "null", "none", "nan", "-", "--")


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of one file."""

    settings: FileSettings
    role: Role
    wanted: Quantity | None = None  # the only quantity to take, where each has its own file
    kind: Kind = "cap"  # of quotes that do not say
    problems: Problems = field(default_factory=Problems)
    seen: set[Quantity] = field(default_factory=set)  # also those not asked for
    skipped: list[str] = field(default_factory=list)  # sheets whose names say nothing to us
    gaps: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        further = (word.strip().casefold() for word in self.settings.missing)
        object.__setattr__(self, "gaps", frozenset((*GAPS, *further)))

    def is_gap(self, cell: Cell) -> bool:
        """Whether the cell says that there is no value."""
        if isinstance(cell, str):
            return cell.casefold() in self.gaps
        return isinstance(cell, float) and math.isnan(cell)

    def takes(self, quantity: Quantity) -> bool:
        """Whether this quantity is asked for: a file of caps may hold the curve as well."""
        self.seen.add(quantity)
        if self.wanted is not None:
            return quantity == self.wanted
        return quantity in QUANTITIES[self.role]

    @property
    def has_seen_caps(self) -> bool:
        """Whether the file holds quantities of caps, asked for or not."""
        return not self.seen.isdisjoint(QUANTITIES["caps"])
