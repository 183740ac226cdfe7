"""A table of one quantity by date and maturity: what a reader hands on, and nothing more.

Values are as written in the file, in the unit of the file; gaps are NaN. Units, completeness and
plausibility are judged later, where all quantities are at hand.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray
from calibscope.market.quotes import Kind

Dates = npt.NDArray[np.datetime64]

CapQuantity = Literal[
    "price", "normal_vol", "lognormal_vol", "shifted_lognormal_vol", "strike", "bid", "ask"
]
CurveQuantity = Literal["discount_factor", "zero_rate", "par_rate"]
Quantity = CapQuantity | CurveQuantity

# What a cap can be quoted in (a market needs one of them), and what a curve can be given by.
QUOTES: tuple[CapQuantity, ...] = (
    "price",
    "normal_vol",
    "lognormal_vol",
    "shifted_lognormal_vol",
)
CURVES: tuple[CurveQuantity, ...] = ("discount_factor", "zero_rate", "par_rate")


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One quantity by date and maturity.

    Caps beside floors, and several strikes of a maturity, have a column each: by maturity, then
    caps before floors, then strike.
    """

    quantity: Quantity
    dates: Dates  # (n,) datetime64[D], strictly increasing
    maturities: Array  # (m,) years, increasing; again where kind or strike differ
    values: Array  # (n, m), NaN where nothing was given
    source: str  # file name, with the sheet where there are several: for messages
    unused: tuple[str, ...] = ()  # columns of the same file that nobody has read
    kinds: tuple[Kind, ...] | None = None  # (m,) None: all are what conventions.kind says
    strikes: Array | None = None  # (m,) that tell quotes apart, as written; NaN: not by strike
    is_atm: BoolArray | None = None  # (n, m) strikes that are to be the curve's own
    is_interpolated: BoolArray | None = None  # (n, m) quotes that are marked so
