"""What the reference promises: every public name says what it takes and gives."""

import functools
import importlib
import inspect
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import FunctionDoc
from public_names import public

PAGES = Path(__file__).parents[2] / "docs" / "api"
DIRECTIVE = re.compile(r"^\.\. auto(?:function|class|exception):: (\S+)$", re.MULTILINE)


@functools.cache
def referenced():
    """What the pages of the reference show, by name."""
    names = [name for page in PAGES.glob("*.rst") for name in DIRECTIVE.findall(page.read_text())]
    found = {}
    for name in names:
        module, _, attribute = name.rpartition(".")
        found[name] = getattr(importlib.import_module(module), attribute)
    assert len(found) == len(names), "a name stands on two pages"
    return found


@functools.cache
def functions():
    """Public functions, methods and properties, and the functions of the reference."""
    named = {f.__name__: f for f in referenced().values() if inspect.isfunction(f)}
    return {**named, **public()[1]}


def is_property(name):
    kind = public()[0].get(name.partition(".")[0])
    thing = inspect.getattr_static(kind, name.partition(".")[2], None) if kind else None
    return isinstance(thing, (property, functools.cached_property))


def overrides(name):
    """Whether a method only fills in what its base class has described."""
    kind, _, method = name.partition(".")
    bases = public()[0][kind].__mro__[1:] if kind in public()[0] else ()
    own = [base for base in bases if base.__module__.startswith("calibscope.")]
    return any(method in vars(base) and method in vars(public()[0][kind]) for base in own)


CALLABLE = sorted(name for name in functions() if not is_property(name) and not overrides(name))


def test_every_public_name_stands_in_the_reference():
    shown = {thing for thing in referenced().values() if isinstance(thing, type)}
    assert {name for name, kind in public()[0].items() if kind not in shown} == set()
    plain = {name for name in public()[1] if "." not in name}
    assert plain <= {name.rpartition(".")[2] for name in referenced()}


def test_every_public_class_says_what_it_is():
    for name, kind in public()[0].items():
        text = kind.__doc__ or ""
        # A dataclass without a docstring gets its signature as one.
        assert text, name
        assert not text.startswith(f"{name}("), name


@pytest.mark.parametrize("name", CALLABLE)
def test_a_function_says_what_it_takes_and_gives(name):
    function = functions()[name]
    doc, signature = FunctionDoc(function), inspect.signature(function)
    said = [word.strip() for entry in doc["Parameters"] for word in entry.name.split(",")]
    taken = [parameter for parameter in signature.parameters if parameter not in ("self", "cls")]
    assert said == taken
    gives = signature.return_annotation not in (None, "None")
    assert bool(doc["Returns"]) == gives
