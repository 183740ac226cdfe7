"""What a message shows of a user's value: a line that can be read, whatever was given."""

import reprlib

LONGEST = 200
EDGE = 60  # signs at the end that a cut text keeps: its remedy

_repr = reprlib.Repr()
_repr.maxlevel = 4
_repr.maxstring = _repr.maxother = LONGEST
_repr.maxlist = _repr.maxtuple = _repr.maxdict = _repr.maxset = _repr.maxarray = 20


def brief(value: object) -> str:
    """The value as Python writes it, cut where it is long.

    >>> brief([1, "a"])
    "[1, 'a']"
    >>> len(brief("x" * 10**6)) <= LONGEST
    True
    """
    try:
        text = _repr.repr(value)
    except (ValueError, RecursionError):  # Python writes no number of more than 4,300 digits
        text = f"a {type(value).__name__} too long to show"
    return cut(" ".join(text.split()), LONGEST)


def cut(text: str, longest: int) -> str:
    """The text, without its middle if it is longer.

    >>> cut("0123456789" * 6, 30)
    '012345678901234 ... 0123456789'
    """
    if len(text) <= longest:
        return text
    edge = min(EDGE, longest // 3)
    return f"{text[: longest - edge - 5]} ... {text[-edge:]}"
