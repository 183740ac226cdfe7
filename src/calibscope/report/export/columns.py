"""What a column of an exported table can be: its kind, its unit, and how its header reads."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from calibscope.study.metric import DescribedMetric
from calibscope.study.tables import Stored, StoredKind


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    FLAG = "true or false"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    MOMENT = "date and time, UTC"


KINDS: dict[StoredKind, Kind] = {
    "number": Kind.NUMBER,
    "count": Kind.INTEGER,
    "integer": Kind.INTEGER,
    "flag": Kind.FLAG,
    "text": Kind.TEXT,
    "date": Kind.DATE,
    "moment": Kind.MOMENT,
}


@dataclass(frozen=True, slots=True)
class Column:
    """What a column is."""

    kind: Kind
    unit: str  # none for words, flags and dates
    meaning: str


@dataclass(frozen=True, slots=True)
class Description:
    """What a table is."""

    one_row_per: str
    columns: Mapping[str, Column]


def text(meaning: str) -> Column:
    """Words."""
    return Column(Kind.TEXT, "", meaning)


def flag(meaning: str) -> Column:
    """True or false."""
    return Column(Kind.FLAG, "", meaning)


def number_of(meaning: str) -> Column:
    """A number by which rows are found."""
    return Column(Kind.INTEGER, "", meaning)


def count(meaning: str) -> Column:
    """How many."""
    return Column(Kind.INTEGER, "count", meaning)


def number(unit: str, meaning: str) -> Column:
    """A number in this unit."""
    return Column(Kind.NUMBER, unit, meaning)


def share(meaning: str) -> Column:
    """A part of one."""
    return number("share", meaning)


def seconds(meaning: str) -> Column:
    """A time."""
    return number("seconds", meaning)


def of_stored(columns: Iterable[Stored]) -> dict[str, Column]:
    """Columns of the store, by name."""
    return {one.name: Column(KINDS[one.kind], one.unit, one.text) for one in columns}


def of_described(metrics: Mapping[str, DescribedMetric]) -> dict[str, Column]:
    """The same of metrics of other packages, as a study describes them."""
    return {name: Column(KINDS[one.kind], one.unit, one.text) for name, one in metrics.items()}


def header(name: str, unit: str) -> str:
    """A column's name with its unit, for tables that people read."""
    return f"{name} [{unit}]" if unit else name
