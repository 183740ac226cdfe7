"""How a user's files are to be read: a small TOML file, every field with a default.

Nothing here is guessed from the data. What is not said has the default below; what is said is
verified against the quotes afterwards (`assembly/units.py`).
"""

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibscope.market.errors import MarketDataError
from calibscope.market.panel import Quantity

Unit = Literal["decimal", "percent", "bp", "currency"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Years = Literal["6M", "3M"]

TENORS = {"6M": 0.5, "3M": 0.25}


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileSettings(_Section):
    """How one input (the caps, or the curve) is written."""

    layout: Literal["long", "wide", "tidy", "blocks"] | None = None  # None: by its header
    quantity: Quantity | None = None  # wide and blocks: what the numbers are
    sheet: str | None = None  # Excel: which sheet; None means sheets named after quantities
    header_row: Annotated[int, Field(ge=1)] = 1  # rows above it are skipped
    date_format: str | None = None  # "iso", "dmy", "mdy", "excel", or strptime such as "%d.%m.%y"
    decimal: Literal[".", ","] | None = None
    delimiter: str | None = None
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] = ()  # further words for a gap, beside #N/A, NULL, blank, ...
    columns: dict[str, str] = {}  # their column -> ours: date, maturity, value, price, 3Y, ...
    quantities: dict[str, Quantity] = {}  # their word in the quantity column -> ours
    units: dict[Quantity, Unit] = {}  # what is not named is decimal, prices per unit notional


class Conventions(_Section):
    """What the quotes mean."""

    kind: Literal["cap", "floor"] = "cap"
    tenor: Years = "6M"
    first_caplet: bool = False
    atm: Literal["forward", "spot"] | None = None  # None: goes with first_caplet
    schedule: Literal["idealised", "TARGET"] = "idealised"
    notional: Positive = 1.0  # that prices in currency are for
    vol_shift: NotNegative = 0.0  # of shifted lognormal vols, decimal
    compounding: Literal["continuous", "annual", "semiannual", "quarterly", "monthly", "simple"] = (
        "continuous"
    )
    ois_index: Literal["ESTR", "EONIA"] = "ESTR"
    interpolation: Literal[
        "log-linear", "log-cubic", "monotone-convex", "svensson", "svensson-spline", "paper"
    ] = "log-cubic"


class CheckSettings(_Section):
    """When a day is dropped or flagged."""

    maturities: tuple[float, ...] | None = None  # years a day must have; None: all in the files
    near_zero_price: NotNegative = 1e-4  # per unit notional: weights 1/y^2 explode below
    jump_mads: Positive = 12.0  # daily changes beyond this many times their usual size
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
        file = Path(path)
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise MarketDataError(str(path), ["there is no such settings file"]) from None
        except OSError as error:
            raise MarketDataError(str(path), [f"cannot be read ({error.strerror})"]) from None
        except UnicodeDecodeError:
            raise MarketDataError(str(path), ["is no UTF-8 text; save it as UTF-8"]) from None
        except tomllib.TOMLDecodeError as error:
            raise MarketDataError(str(path), [f"is no valid TOML: {error}"]) from None
        return cls.from_mapping(content, str(path))

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
