"""How a user's files are to be read: a small TOML file, every field with a default.

Nothing here is guessed from the data. What is not said has the default below; what is said is
verified against the quotes afterwards (`assembly/units.py`).
"""

import codecs
import datetime
import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from calibscope.base.brief import LONGEST, brief, cut
from calibscope.market.curve import Compounding
from calibscope.market.day import AtTheMoney
from calibscope.market.errors import MarketDataError
from calibscope.market.interpolation import Interpolation
from calibscope.market.limits import file_problem
from calibscope.market.maturity import maturity
from calibscope.market.panel import CapQuantity, CurveQuantity, Quantity
from calibscope.market.quotes import Kind

Unit = Literal["decimal", "percent", "bp", "currency"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Years = Literal["6M", "3M"]
AnyQuantity = Literal[CapQuantity, CurveQuantity]  # a single Literal, for a single complaint

SECTIONS_OF_STUDIES = ("calibration", "diagnosis", "governance")  # in the same file
TENORS = {"6M": 0.5, "3M": 0.25}
DATE_FORMATS = ("iso", "dmy", "mdy", "excel")  # beside those of strptime
LARGEST_SHIFT = 0.5
LARGEST_SETTINGS = 1_000_000  # bytes of a settings file
DEEPEST = 10  # levels of nesting; ours have three
LONGEST_WORD = 100  # signs of a word that may be one of ours, misspelt
TOO_DEEP = "something is nested too deeply"
TOO_MANY_DIGITS = "a whole number has too many digits"
# Codecs that are no way to write a file, and slow on long ones.
NO_ENCODINGS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "unicode-escape")

ALL_QUANTITIES: tuple[Quantity, ...] = (*get_args(CapQuantity), *get_args(CurveQuantity))
UNIT_WORDS = {
    **{unit: unit for unit in get_args(Unit)},
    **dict.fromkeys(("bps", "basis point", "basis points"), "bp"),
    **dict.fromkeys(("%", "pct"), "percent"),
    **dict.fromkeys(("EUR", "euro", "€"), "currency"),
}


class Section(BaseModel):
    """A section of a settings file: frozen, without strangers, generous about spelling."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _in_our_spelling(cls, value: Any, info: ValidationInfo) -> Any:
        """Case matters in no word of ours: `target` is TARGET."""
        annotation = cls.model_fields[info.field_name or ""].annotation
        literals = (
            part for part in (annotation, *get_args(annotation)) if get_origin(part) is Literal
        )
        return _spelt(value, (word for literal in literals for word in get_args(literal)))


Settings = TypeVar("Settings", bound=Section)


def _spelt(value: Any, words: Iterable[str]) -> Any:
    """The word of ours that differs only in case, blanks and hyphens; else the value itself."""
    if not isinstance(value, str):
        return value
    return {_plain(word): word for word in words}.get(_plain(value), value)


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", "_", word.strip().casefold())


def alone(value: Any) -> Any:
    """A single entry may stand without its list."""
    return (value,) if isinstance(value, str | int | float | datetime.date) else value


def _years(value: Any) -> float:
    years = maturity(str(value))
    if not years:
        raise PydanticCustomError("maturity", "use a maturity such as 3Y, or a number of years")
    return years


Maturity = Annotated[float, BeforeValidator(_years)]  # years, or like 3Y


def _date(value: Any) -> datetime.date:
    try:
        return datetime.date.fromisoformat(str(value).removesuffix(" 00:00:00"))
    except ValueError:
        raise PydanticCustomError("date", "use a date such as 2024-06-03") from None


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
        raise PydanticCustomError("delimiter", "use a single sign, such as ; or ,")
    return value


def _encoding(value: str) -> str:
    try:
        "".encode(value)
        if codecs.lookup(value).name in NO_ENCODINGS:
            raise LookupError
    except (LookupError, ValueError):
        raise PydanticCustomError("encoding", "use an encoding such as utf-8 or cp1252") from None
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
    columns: dict[str, str] = {}  # their column -> ours: date, value, price, 3Y, ..., or "ignore"
    quantities: dict[str, AnyQuantity] = {}  # their word, for a cell or a sheet -> ours
    units: dict[AnyQuantity, Unit] = {}  # what is not named is decimal, prices per unit notional

    own: ClassVar[tuple[Quantity, ...]] = ALL_QUANTITIES  # which this input may have

    @field_validator("quantities", mode="before")
    @classmethod
    def _known_words(cls, value: Any) -> Any:
        """Quantities of the other input are welcome: one file may hold both."""
        if not isinstance(value, Mapping):
            return value
        return {theirs: _spelt(ours, ALL_QUANTITIES) for theirs, ours in value.items()}

    @field_validator("units", mode="before")
    @classmethod
    def _known_units(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        units = {
            _spelt(quantity, cls.own): (
                UNIT_WORDS.get(_spelt(unit, UNIT_WORDS), unit) if isinstance(unit, str) else unit
            )
            for quantity, unit in value.items()
        }
        strangers = [
            f"{brief(word)} is no quantity"
            f"{' of this section' if word in ALL_QUANTITIES else did_you_mean(word, cls.own)}"
            for word in units
            if word not in cls.own
        ]
        if strangers:
            text = f"{', '.join(strangers)}; use {', '.join(cls.own)}"
            raise PydanticCustomError("strangers", "{text}", {"text": text})
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
    vol_shift: Annotated[NotNegative, Field(le=LARGEST_SHIFT)] = 0.0  # of shifted lognormal vols
    compounding: Compounding = "continuous"
    ois_index: Literal["ESTR", "EONIA"] = "ESTR"
    interpolation: Interpolation = "log-cubic"


class CheckSettings(Section):
    """When a day is dropped or flagged."""

    maturities: Annotated[tuple[Maturity, ...] | None, BeforeValidator(alone)] = (
        None  # that a day must have, in years or like 3Y; None: all in the files
    )
    exclude: Annotated[
        tuple[Annotated[datetime.date, BeforeValidator(_date)], ...], BeforeValidator(alone)
    ] = ()  # days to leave out
    near_zero_price: NotNegative = 1e-4  # per unit notional: weights 1/y^2 explode below
    jump_mads: Positive = 8.0  # daily changes beyond this many times their usual size
    strike_gap_bp: Positive = 2.0  # given against recomputed at-the-money strikes


class MarketSettings(Section):
    """The whole settings file: [caps], [curve], [conventions], [checks]."""

    caps: CapSettings = CapSettings()
    curve: CurveSettings = CurveSettings()
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
            unfit = file_problem(Path(path), LARGEST_SETTINGS)
            if unfit is None:
                return parsed_toml(Path(path).read_text(encoding="utf-8-sig"))
            problem = unfit
        except FileNotFoundError:
            problem = "there is no such settings file; check the name"
        except OSError as error:
            problem = f"cannot be read ({error.strerror}); give a TOML file"
        except UnicodeDecodeError:
            problem = "is no UTF-8 text; save it as UTF-8"
        except tomllib.TOMLDecodeError as error:
            problem = f"is no valid TOML: {error}"
        except ValueError:  # a zero byte in the name
            problem = "is no name of a file; check the name"
        raise MarketDataError(str(path), [problem])

    @classmethod
    def from_mapping(cls, content: dict[str, Any], where: str = "settings") -> "MarketSettings":
        """Check settings given as nested dictionaries."""
        return checked_settings(cls, content, where)


def parsed_toml(text: str) -> dict[str, Any]:
    """What the text says; `tomllib.TOMLDecodeError` if it is no TOML that can be settings."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int(), on more than 4,300 digits
        raise tomllib.TOMLDecodeError(TOO_MANY_DIGITS) from None
    if problem := _monster(content):
        raise tomllib.TOMLDecodeError(problem)
    return content


def _monster(content: Mapping[str, Any]) -> str | None:
    """What no setting has, and Python cannot even show: deep nesting, numbers without end."""
    level: list[Any] = [content]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, Mapping):
                inner += value.values()
            elif isinstance(value, list | tuple):
                inner += value
            elif isinstance(value, int) and abs(value) >= 2**63:
                return TOO_MANY_DIGITS
        if not inner:
            return None
        level = inner
    return TOO_DEEP


def checked_settings(kind: type[Settings], content: dict[str, Any], where: str) -> Settings:
    """Settings of this kind, or one error with everything that is wrong about them."""
    if monster := _monster(content):
        raise MarketDataError(where, [f"{monster}; correct or remove it"])
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        problems = [_problem(item, kind) for item in error.errors()]
        raise MarketDataError(where, problems) from None


# By the first word of pydantic's type of error.
REMEDIES = {
    "bool": "use true or false",
    "float": "use a number",
    "finite": "use a finite number",
    "int": "use a whole number",
    "string": "use a text in quotes",
    "tuple": "use a list in brackets",
    "model": "write single settings, each with its name",
}
EXAMPLES = {
    "columns": '"EUCAPA3 Curncy" = "3Y"',
    "quantities": '"PX_LAST" = "price"',
    "units": 'price = "bp"',
}


def _problem(item: ErrorDetails, kind: type[Section]) -> str:
    """What is wrong and what to do, in a user's words."""
    parts = [str(part) for part in item["loc"] if isinstance(part, str) and part != "[key]"]
    place, given, context = cut(".".join(parts), LONGEST), item["input"], item.get("ctx", {})
    error = item["type"]
    if error == "extra_forbidden":
        return f"{place}: there is no such setting; {_instead(parts, kind)}"
    if error == "strangers":
        return f"{place}: {item['msg']}" if place else item["msg"]
    if error == "less_than_equal":  # of a shift alone
        percent = f"{100 * float(given):g} percent"
        return f"{place} is {brief(given)}, that is {percent}; 0.03 is three percent"
    if error == "literal_error":
        names = context["expected"]
        words = re.findall(r"'([^']*)'", names)
        if words[0][0].isalnum():
            names = names.replace("'", "")
        remedy = f"use {names}{did_you_mean(given, words)}"
    elif error == "dict_type":
        example = EXAMPLES.get(parts[-1])
        remedy = f"write one by one under [{place}]" + (f", such as {example}" if example else "")
    elif error == "missing":
        return f"{place}: numbers are missing; give as many as there should be"
    elif error == "too_short":
        remedy = "give at least one"
    elif error == "less_than":
        remedy = f"use a number below {context['lt']:g}"
    elif error == "greater_than":
        remedy = f"use a number above {context['gt']:g}"
    elif error == "greater_than_equal":
        remedy = f"use a number of at least {context['ge']:g}"
    else:
        remedy = REMEDIES.get(error.split("_")[0], item["msg"])
    return f"{place} is {brief(given)}; {remedy}"


def did_you_mean(word: Any, words: Iterable[str]) -> str:
    """A hint at the word of ours that is spelt almost like this one; empty without any."""
    if not isinstance(word, str) or len(word) > LONGEST_WORD:
        return ""
    plain = {_plain(one): one for one in words}
    near = difflib.get_close_matches(_plain(word), plain, n=1)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""


def _instead(parts: list[str], kind: type[Section]) -> str:
    """What an unknown name may have meant: in another section, nested, or spelt differently."""
    *above, name = parts
    if len(name) > LONGEST_WORD:
        return "remove it"
    sections = {
        section: list(getattr(type(field.default), "model_fields", ()))
        for section, field in kind.model_fields.items()
    }
    if "." in name:
        nested = "..."
        for part in reversed(".".join(parts).split(".")):
            nested = f'{{"{part}": {nested}}}'
        return f"write nested: {nested}"
    if elsewhere := [f"{section}.{name}" for section in sections if name in sections[section]]:
        return f"did you mean {' or '.join(elsewhere)}?"
    near = difflib.get_close_matches(name, sections.get(above[0], ()) if above else sections, n=1)
    return f"did you mean {near[0]!r}?" if near else "remove it"
