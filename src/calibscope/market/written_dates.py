"""A date as people write it: 2024-06-03, 20240603, 03.06.2024 and Excel's 45446.

Each of these has one meaning. 03/06/2024 has two: `way_of` says so, and who asks decides, by other
dates of a table (`readers/dates.py`) or by an error.
"""

import datetime
import re

REMEDY = "write it like 2022-07-21 or 21.07.2022"
EXCEL_EPOCH = datetime.date(1899, 12, 30)
FIRST, LAST = datetime.date(1954, 10, 3), datetime.date(2119, 1, 10)  # serials 20,000 to 80,000

_SEPARATOR = r"([-/.])"
YEAR_FIRST = re.compile(rf"(\d{{4}}){_SEPARATOR}(\d\d?)\2(\d\d?)|(\d{{4}})(\d\d)(\d\d)", re.ASCII)
YEAR_LAST = re.compile(rf"(\d\d?){_SEPARATOR}(\d\d?)\2(\d{{4}})", re.ASCII)
TWO_DIGIT_YEAR = re.compile(rf"\d\d?{_SEPARATOR}\d\d?\1\d\d", re.ASCII)
SERIAL = re.compile(r"\d{5}(?:[.,]0*)?", re.ASCII)
MIDNIGHT = re.compile(r"[ T]0?0:00(?::00(?:[.,]0+)?)?(?:Z|\+00:00)?$", re.ASCII)
TIME_OF_DAY = re.compile(r"\d[ T]\d\d?:\d\d", re.ASCII)


def date_or_remedy(value: object) -> datetime.date | str:
    """A single date that somebody wrote or typed, or what to do about it."""
    if not isinstance(value, str):
        return REMEDY
    text = text_of(value.strip())
    way = way_of(text)
    if way == "either":
        return f"the day may be first or the month; {REMEDY}"
    try:
        found = date_written(text, way) if way else None
    except ValueError:
        return f"there is no such day; {REMEDY}"
    return REMEDY if found is None else found


def text_of(value: object) -> str:
    """A cell as a user reads it: a whole number without its point, a day without its midnight."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return MIDNIGHT.sub("", str(value))


def way_of(value: object) -> str | None:
    """How a date is written, "either" with the day or the month first; None: it is not a date."""
    if isinstance(value, datetime.date):
        return "date cells"
    text = text_of(value)
    if YEAR_FIRST.fullmatch(text):
        return "iso"
    if match := YEAR_LAST.fullmatch(text):
        return "dmy" if match[2] == "." else "either"
    if SERIAL.fullmatch(text):
        return "excel"
    return "two digits" if TWO_DIGIT_YEAR.fullmatch(text) else None


def date_written(value: object, way: str) -> datetime.date | None:
    """The date, None if it is not written in this way; ValueError if no such day exists.

    Parameters
    ----------
    way : of `way_of`, or a format as `strptime` takes it
    """
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    text = text_of(value)
    if way == "excel":
        if not SERIAL.fullmatch(text):
            return None
        return EXCEL_EPOCH + datetime.timedelta(days=int(text[:5]))
    if way == "iso":
        match = YEAR_FIRST.fullmatch(text)
        numbers = [int(part) for part in match.groups() if part and part.isdigit()] if match else []
        return datetime.date(*numbers) if numbers else None
    if way in ("dmy", "mdy"):
        match = YEAR_LAST.fullmatch(text)
        if match is None:
            return None
        day, month = (match[1], match[3]) if way == "dmy" else (match[3], match[1])
        return datetime.date(int(match[4]), int(month), int(day))
    try:
        return datetime.datetime.strptime(text, way).date()
    except ValueError:
        return None
