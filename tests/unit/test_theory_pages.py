"""The theory pages: their Python runs, and prints the numbers that stand beside it.

On these pages an expression may be followed by a comment with its value: numbers as they would be
printed, True, False, or the beginning of a text in quotes. What follows a colon is explanation. All
such values are compared; a comment of another kind beside an expression is an error.
"""

import ast
import re
import tokenize
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

THEORY = Path(__file__).parents[2] / "docs" / "theory"
NUMBER = re.compile(r"(-?)(\d[\d,]*)(\.\d+)?(?:e(-?\d+))?( ?%)?")


def code_of(page):
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE))


def numbers_in(text):
    """Numbers with the unit of their last digit, as shares where they are percentages."""
    for sign, whole, part, power, percent in NUMBER.findall(text):
        scale = 10.0 ** int(power or 0) * (0.01 if percent else 1.0)
        size = float(whole.replace(",", "") + part) * scale
        yield -size if sign else size, scale * 10.0 ** -max(len(part) - 1, 0)


def flat(value):
    if isinstance(value, tuple | list):
        return [one for part in value for one in flat(part)]
    return np.asarray(value, dtype=float).ravel().tolist()


def agrees(value, comment):
    """Whether a value is what the comment says, to one unit of the last digit that it shows."""
    if isinstance(value, str):
        return value.startswith(comment.strip("'").removesuffix("..."))
    told = comment.split(":")[0].strip()
    if told in ("True", "False"):
        return bool(value) is (told == "True")
    rest = re.sub(r"[\s,()]", "", NUMBER.sub("", told))
    assert not rest, f"{comment!r} is not a number"
    shown, values = list(numbers_in(told)), flat(value)
    return len(shown) == len(values) and all(
        abs(size - one) <= unit * 1.001 for (size, unit), one in zip(shown, values, strict=True)
    )


def told_by(code):
    """Statements of the code in turn, each with the comment that follows it on its last line."""
    tokens = tokenize.generate_tokens(StringIO(code).readline)
    comments = {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
    for statement in ast.parse(code).body:
        yield statement, comments.get(statement.end_lineno)


@pytest.mark.parametrize("page", sorted(THEORY.glob("*.md")), ids=lambda page: page.stem)
def test_the_numbers_of_a_page_are_what_its_python_gives(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for statement, comment in told_by(code_of(page.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Expr) and comment:
            source = ast.unparse(statement)
            value = eval(source, names)
            assert agrees(value, comment), f"{source} gives {value}, not {comment}"
        else:
            exec(ast.unparse(statement), names)


@pytest.mark.parametrize(
    ("value", "comment", "holds"),
    [
        ((0.978, np.array([0.601])), "0.98, 0.60: of 3Y and 4Y", True),
        (0.978, "0.96", False),
        (0.978, "98 %", True),
        (1979, "1,979", True),
        (1.85e-12, "1.9e-12", True),
        ([1.0, 2.0], "1", False),
        ("All five; 3Y", "'All five...'", True),
        (np.True_, "True: it does", True),
    ],
)
def test_a_comment_is_compared_with_its_value(value, comment, holds):
    assert agrees(value, comment) is holds
