"""How a user's files are to be read: a small TOML file, every field with a default.

Nothing here is guessed from the data. What is not said has the default below; what is said is
verified against the quotes afterwards (`assembly/units.py`).
"""

import datetime
import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from calibscope.market.curve import Compounding
from calibscope.market.day import AtTheMoney
from calibscope.market.errors import MarketDataError
from calibscope.market.interpolation import Interpolation
from calibscope.market.panel import Quantity
from calibscope.market.quotes import Kind

Unit = Literal["decimal", "percent", "bp", "currency"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Years = Literal["6M", "3M"]

TENORS = {"6M": 0.5, "3M": 0.25}
DATE_FORMATS = ("iso", "dmy", "mdy", "excel")  # beside those of strptime


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _date_format(value: str) -> str:
    if value in DATE_FORMATS:
        return value
    example = datetime.datetime(2024, 6, 13)
    try:
        same = datetime.datetime.strptime(example.strftime(value), value) == example
    except ValueError:
        same = False
    if not same:
        raise PydanticCustomError(
            "date_format", "use iso, dmy, mdy, excel, or all of a date such as %d.%m.%Y"
        )
    return value


def _delimiter(value: str) -> str:
    if len(value) != 1 or value in '"\r\n' or value.isalnum():
        raise PydanticCustomError("delimiter", "use a single sign, such as ; or ,")
    return value


def _encoding(value: str) -> str:
    try:
        "".encode(value)
    except (LookupError, ValueError):
        raise PydanticCustomError("encoding", "use an encoding such as utf-8 or cp1252") from None
    return value


class FileSettings(_Section):
    """How one input (the caps, or the curve) is written."""

    layout: Literal["long", "wide", "tidy", "blocks"] | None = None  # None: by its header
    quantity: Quantity | None = None  # wide and blocks: what the numbers are
    sheet: str | None = None  # Excel: which sheet; None means sheets named after quantities
    header_row: Annotated[int, Field(ge=1)] = 1  # rows above it are skipped
    date_format: Annotated[str, AfterValidator(_date_format)] | None = None  # None: as written
    decimal: Literal[".", ","] | None = None
    delimiter: Annotated[str, AfterValidator(_delimiter)] | None = None
    encoding: Annotated[str, AfterValidator(_encoding)] = "utf-8-sig"
    missing: tuple[str, ...] = ()  # further words for a gap, beside #N/A, NULL, blank, ...
    columns: dict[str, str] = {}  # their column -> ours: date, value, price, 3Y, ..., or "ignore"
    quantities: dict[str, Quantity] = {}  # their word in the quantity column -> ours
    units: dict[Quantity, Unit] = {}  # what is not named is decimal, prices per unit notional


class Conventions(_Section):
    """What the quotes mean."""

    kind: Kind = "cap"
    tenor: Years = "6M"
    first_caplet: bool = False
    atm: AtTheMoney | None = None  # None: goes with first_caplet
    schedule: Literal["idealised", "TARGET"] = "idealised"
    notional: Positive = 1.0  # that prices in currency are for
    vol_shift: NotNegative = 0.0  # of shifted lognormal vols, decimal
    compounding: Compounding = "continuous"
    ois_index: Literal["ESTR", "EONIA"] = "ESTR"
    interpolation: Interpolation = "log-cubic"


class CheckSettings(_Section):
    """When a day is dropped or flagged."""

    maturities: tuple[float, ...] | None = None  # years a day must have; None: all in the files
    near_zero_price: NotNegative = 1e-4  # per unit notional: weights 1/y^2 explode below
    jump_mads: Positive = 8.0  # daily changes beyond this many times their usual size
    strike_gap_bp: Positive = 2.0  # given against recomputed at-the-money strikes


class MarketSettings(_Section):
    """The whole settings file: [caps], [curve], [conventions], [checks]."""

    caps: FileSettings = FileSettings()
    curve: FileSettings = FileSettings()
    conventions: Conventions = Conventions()
    checks: CheckSettings = CheckSettings()

    @classmethod
    def from_toml(cls, path: str | Path) -> "MarketSettings":
        """Read and check a settings file; all problems in one error."""
        return cls.from_mapping(cls.content_of(path), str(path))

    @staticmethod
    def content_of(path: str | Path) -> dict[str, Any]:
        """What a TOML file says, not yet checked."""
        try:
            return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            problem = "there is no such settings file; check the name"
        except OSError as error:
            problem = f"cannot be read ({error.strerror}); give a TOML file"
        except UnicodeDecodeError:
            problem = "is no UTF-8 text; save it as UTF-8"
        except tomllib.TOMLDecodeError as error:
            problem = f"is no valid TOML: {error}"
        raise MarketDataError(str(path), [problem])

    @classmethod
    def from_mapping(cls, content: dict[str, Any], where: str = "settings") -> "MarketSettings":
        """Check settings given as nested dictionaries."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise MarketDataError(where, _problems(error)) from None


def _problems(error: ValidationError) -> list[str]:
    problems = []
    for item in error.errors():
        place = ".".join(str(part) for part in item["loc"])
        if item["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(item["loc"][-1]), _field_names(item["loc"]), n=1)
            hint = f"did you mean {near[0]!r}?" if near else "remove it"
            problems.append(f"{place}: there is no such setting; {hint}")
        else:
            problems.append(f"{place}: {item['msg']}; it is {item['input']!r}")
    return problems


def _field_names(place: tuple[int | str, ...]) -> list[str]:
    section: Any = MarketSettings
    for part in place[:-1]:
        field = section.model_fields.get(part)
        section = type(field.default) if field is not None else MarketSettings
    return list(section.model_fields)
