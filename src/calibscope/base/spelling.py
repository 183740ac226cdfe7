"""A word that is not one of ours: what it may have meant, and what there is to choose from.

Every layer asks here, so that a misspelt solver, setting, column or file is answered alike.
"""

import re
from collections.abc import Iterable

LONGEST_WORD = 100  # characters of a word that may be one of ours, misspelt
NEAR = 0.7  # of difflib's likeness, from 0 to 1


def plain(word: str) -> str:
    """A word without the differences that do not matter: case, blanks, hyphens.

    >>> plain(" Discount factors")
    'discount_factors'
    """
    return re.sub(r"[\s_-]+", "_", word.strip().casefold())


def nearest(word: object, words: Iterable[str], near: float = NEAR) -> str | None:
    """The word of ours that is spelt most like this one; None if none is near.

    >>> nearest("Normal vols", ["price", "normal_vol"])
    'normal_vol'
    """
    if not isinstance(word, str) or len(word) > LONGEST_WORD:
        return None
    import difflib  # only a mistake needs it

    spelt = {plain(one): one for one in words}
    found = difflib.get_close_matches(plain(word), spelt, n=1, cutoff=near)
    return spelt[found[0]] if found else None


def did_you_mean(words: Iterable[str]) -> str:
    """The question, as a remedy of its own.

    >>> did_you_mean(["caps.layout", "curve.layout"])
    'did you mean caps.layout or curve.layout?'
    """
    return f"did you mean {' or '.join(words)}?"


def hint(words: Iterable[str], *given: object) -> str:
    """What these words may have meant, in brackets; empty if none is near.

    >>> hint(["price", "strike"], "stirke")
    " (did you mean 'strike'?)"
    """
    known = list(words)
    meant = dict.fromkeys(word for one in given if (word := nearest(one, known)) is not None)
    return f" ({did_you_mean(map(repr, meant))})" if meant else ""


def choose_from(words: Iterable[str], *given: object) -> str:
    """The remedy for words that we do not know: all that we know, and which were meant.

    >>> choose_from(["cap", "floor"], "Cap")
    "choose from cap, floor (did you mean 'cap'?)"
    """
    known = list(words)
    shown = (word if word[:1].isalnum() else repr(word) for word in known)
    return f"choose from {', '.join(shown)}{hint(known, *given)}"
