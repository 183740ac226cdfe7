"""The page on renamed names: what has moved is where it says, and no longer where it was."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "migration.md"
MOVED = re.findall(
    r"^\| `(calibscope[.\w]+)` \| `(calibscope[.\w]+)` \|$",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("old", "new"), MOVED, ids=lambda name: name.removeprefix("calibscope."))
def test_a_moved_name_is_where_the_page_says(old, new):
    assert hasattr(*found(new)), f"docs/migration.md: there is no {new}"
    with pytest.raises((ModuleNotFoundError, AttributeError)):
        getattr(*found(old))


def test_the_page_lists_moves():
    assert len(MOVED) > 40


def found(path):
    """The module, and the name in it."""
    module, _, name = path.rpartition(".")
    return import_module(module), name
