"""How a user's files are to be read: a small TOML file, every field with a default.

Nothing here is guessed from the data. What is not said has the default below; what is said is
verified against the quotes afterwards (`assembly/units.py`).
"""

import codecs
import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from calibscope.base.brief import brief
from calibscope.base.settings import (
    NotNegative,
    Positive,
    Section,
    alone,
    checked_settings,
    refused,
    spelt,
)
from calibscope.base.settings_file import file_content
from calibscope.base.spelling import choose_from
from calibscope.market.curve import Compounding
from calibscope.market.findings import FEWEST_QUOTES
from calibscope.market.instruments.cap_grid import AtTheMoney
from calibscope.market.interpolation import Interpolation
from calibscope.market.maturity import maturity
from calibscope.market.panel import CapQuantity, CurveQuantity, Quantity
from calibscope.market.quotes import Kind
from calibscope.market.written_dates import date_or_remedy

Unit = Literal["decimal", "percent", "bp", "currency"]
Years = Literal["6M", "3M"]
AnyQuantity = Literal[CapQuantity, CurveQuantity]  # a single Literal, for a single complaint

TENORS = {"6M": 0.5, "3M": 0.25}
DATE_FORMATS = ("iso", "dmy", "mdy", "excel")  # beside those of strptime
LARGEST_SHIFT = 0.5
# Codecs that are no way to write a file, and slow on long ones.
NO_ENCODINGS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "unicode-escape")

ALL_QUANTITIES: tuple[Quantity, ...] = (*get_args(CapQuantity), *get_args(CurveQuantity))
UNIT_WORDS = {
    **{unit: unit for unit in get_args(Unit)},
    **dict.fromkeys(("bps", "basis point", "basis points"), "bp"),
    **dict.fromkeys(("%", "pct"), "percent"),
    **dict.fromkeys(("EUR", "euro", "€"), "currency"),
}


def _years(value: Any) -> float:
    years = maturity(str(value))
    if not years:
        raise PydanticCustomError("maturity", "use a maturity such as 3Y, or a number of years")
    return years


Maturity = Annotated[float, BeforeValidator(_years)]  # years, or like 3Y


def _date(value: Any) -> datetime.date:
    found = date_or_remedy(str(value))
    if isinstance(found, str):
        raise PydanticCustomError("date", "{text}", {"text": found})
    return found


def _tenor(value: Any) -> Any:
    """The tenor as its word, also if it is given as 0.5 or 6 months."""
    try:
        years = _years(value)
    except PydanticCustomError:
        return value
    return next((word for word, other in TENORS.items() if other == years), value)


def _date_format(value: str) -> str:
    if value in DATE_FORMATS:
        return value
    example = datetime.datetime(2024, 6, 13)
    try:
        same = datetime.datetime.strptime(example.strftime(value), value) == example
    except (ValueError, re.error):  # %Y twice makes a pattern with two groups of one name
        same = False
    if not same:
        raise PydanticCustomError(
            "date_format", "use iso, dmy, mdy, excel, or all of a date such as %d.%m.%Y"
        )
    return value


def _delimiter(value: str) -> str:
    if len(value) != 1 or value in '"\r\n' or value.isalnum():
        raise PydanticCustomError("delimiter", "use a single character, such as ; or ,")
    return value


def _encoding(value: str) -> str:
    try:
        "".encode(value)
        if codecs.lookup(value).name in NO_ENCODINGS:
            raise LookupError
    except (LookupError, ValueError):
        raise PydanticCustomError("encoding", "use an encoding such as utf-8 or cp1252") from None
    return value


def _shift(value: float) -> float:
    if value > LARGEST_SHIFT:
        raise PydanticCustomError(
            "shift",
            "use at most {largest}: {percent} percent is implausible, and 0.03 is three percent",
            {"largest": LARGEST_SHIFT, "percent": f"{100 * value:g}"},
        )
    return value


class FileSettings(Section):
    """How one input (the caps, or the curve) is written."""

    layout: Literal["long", "wide", "tidy", "blocks"] | None = None  # None: by its header
    quantity: AnyQuantity | None = None  # wide and blocks: what the numbers are
    sheet: str | None = None  # Excel: which sheet; None means sheets named after quantities
    header_row: Annotated[int, Field(ge=1)] = 1  # rows above it are skipped
    date_format: Annotated[str, AfterValidator(_date_format)] | None = None  # None: as written
    decimal: Literal[".", ","] | None = None
    delimiter: Annotated[str, AfterValidator(_delimiter)] | None = None
    encoding: Annotated[str, AfterValidator(_encoding)] = "utf-8-sig"
    missing: Annotated[tuple[str, ...], BeforeValidator(alone)] = ()  # beside #N/A, NULL, ...
    columns: dict[str, str] = Field(default={})  # their column -> ours: date, value, 3Y, "ignore"
    quantities: dict[str, AnyQuantity] = Field(default={})  # their word (cell or sheet) -> ours
    units: dict[AnyQuantity, Unit] = Field(default={})  # else decimal, prices per unit notional

    own: ClassVar[tuple[Quantity, ...]] = ALL_QUANTITIES  # which this input may have
    examples: ClassVar[Mapping[str, str]] = {
        "columns": '"EUCAPA3 Curncy" = "3Y"',
        "quantities": '"PX_LAST" = "price"',
        "units": 'price = "bp"',
    }

    @field_validator("quantities", mode="before")
    @classmethod
    def _known_words(cls, value: Any) -> Any:
        """Quantities of the other input are welcome: one file may hold both."""
        if not isinstance(value, Mapping):
            return value
        return {theirs: spelt(ours, ALL_QUANTITIES) for theirs, ours in value.items()}

    @field_validator("units", mode="before")
    @classmethod
    def _known_units(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        units = {
            spelt(quantity, cls.own): (
                UNIT_WORDS.get(spelt(unit, UNIT_WORDS), unit) if isinstance(unit, str) else unit
            )
            for quantity, unit in value.items()
        }
        strangers = [word for word in units if word not in cls.own]
        if strangers:
            named = ", ".join(
                f"{brief(word)} is not a quantity{' of this section' * (word in ALL_QUANTITIES)}"
                for word in strangers
            )
            raise refused(f"{named}; {choose_from(cls.own, *strangers)}")
        return units


class CapSettings(FileSettings):
    """How the caps are written."""

    quantity: CapQuantity | None = None
    own: ClassVar[tuple[Quantity, ...]] = get_args(CapQuantity)


class CurveSettings(FileSettings):
    """How the curve is written."""

    quantity: CurveQuantity | None = None
    own: ClassVar[tuple[Quantity, ...]] = get_args(CurveQuantity)


class Conventions(Section):
    """What the quotes mean."""

    kind: Kind = "cap"
    tenor: Annotated[Years, BeforeValidator(_tenor)] = "6M"
    first_caplet: bool = False
    atm: AtTheMoney | None = None  # None: goes with first_caplet
    schedule: Literal["idealised", "TARGET"] = "idealised"
    notional: Positive = 1.0  # that prices in currency are for
    vol_shift: Annotated[NotNegative, AfterValidator(_shift)] = 0.0  # of shifted lognormal vols
    compounding: Compounding = "continuous"
    ois_index: Literal["ESTR", "EONIA"] = "ESTR"
    interpolation: Interpolation = "log-cubic"


class CheckSettings(Section):
    """When a day is dropped or flagged."""

    maturities: Annotated[tuple[Maturity, ...] | None, BeforeValidator(alone)] = (
        None  # that are used, in years or like 3Y; None: all in the files
    )
    incomplete: Literal["keep", "drop"] = "keep"  # days that lack some quotes or curve nodes
    interpolated: Literal["keep", "drop"] = "keep"  # quotes that are marked so; dropped: a gap
    fewest_quotes: Annotated[int, Field(ge=1)] = FEWEST_QUOTES  # that such a day must have
    exclude: Annotated[
        tuple[Annotated[datetime.date, BeforeValidator(_date)], ...], BeforeValidator(alone)
    ] = ()  # days to leave out
    near_zero_price: NotNegative = 1e-4  # per unit notional: weights 1/y^2 explode below
    jump_mads: Positive = 8.0  # daily changes beyond this many times their usual size
    strike_gap_bp: Positive = 2.0  # given against recomputed at-the-money strikes


class MarketSettings(Section):
    """The sections on the market: [caps], [curve], [conventions], [checks]."""

    caps: CapSettings = CapSettings()
    curve: CurveSettings = CurveSettings()
    conventions: Conventions = Conventions()
    checks: CheckSettings = CheckSettings()

    @classmethod
    def from_toml(cls, path: str | Path) -> "MarketSettings":
        """Read and check a settings file; all problems in one error.

        Parameters
        ----------
        path : a TOML file

        Returns
        -------
        MarketSettings
            with the defaults of what the file does not say
        """
        return cls.from_mapping(file_content(path), str(path))

    @classmethod
    def from_mapping(cls, content: dict[str, Any], where: str = "settings") -> "MarketSettings":
        """Check settings given as nested dictionaries.

        Parameters
        ----------
        content : by section
        where : how messages name them

        Returns
        -------
        MarketSettings
            with the defaults of what is not there
        """
        return checked_settings(cls, content, where)
