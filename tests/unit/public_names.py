"""What a user of the package can reach: the public names, and the classes that they lead to.

From the names of `calibscope.__all__` the walk goes on through annotations: a class that a public
function or property returns, or that a public field holds, is public too.
"""

import dataclasses
import enum
import functools
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Iterator

import pandas

import calibscope

Member = tuple[str, typing.Any]  # "Diagnosis.intervals", and the function


@functools.cache
def all_names() -> dict[str, typing.Any]:
    """Every class and alias of the package by name, for annotations written as text."""
    names: dict[str, typing.Any] = {"pd": pandas}
    for module in modules():
        for name, thing in vars(module).items():
            if isinstance(thing, type):
                names.setdefault(name, thing)
    return names


@functools.cache
def modules() -> tuple[types.ModuleType, ...]:
    found = pkgutil.walk_packages(calibscope.__path__, "calibscope.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    return tuple(importlib.import_module(name) for name in names)


def hints(thing: typing.Any) -> dict[str, typing.Any]:
    """Annotations as objects."""
    return typing.get_type_hints(thing, localns=all_names())


def named_classes(hint: typing.Any) -> Iterator[type]:
    """The package's classes that an annotation names."""
    if isinstance(hint, type) and hint.__module__.startswith("calibscope."):
        yield hint
    for part in typing.get_args(hint):
        yield from named_classes(part)


def members(kind: type) -> Iterator[Member]:
    """Public methods and properties that a class of the package defines or inherits."""
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("calibscope."):
            continue
        for name, thing in vars(base).items():
            if name.startswith("_"):
                continue
            if isinstance(thing, (classmethod, staticmethod)):
                thing = thing.__func__
            if isinstance(thing, property):
                thing = thing.fget
            if isinstance(thing, functools.cached_property):
                thing = thing.func
            if inspect.isfunction(thing):
                yield f"{kind.__name__}.{name}", thing


@functools.cache
def public() -> tuple[dict[str, type], dict[str, typing.Any]]:
    """Public classes, and public functions, methods and properties, by name."""
    classes: dict[str, type] = {}
    functions: dict[str, typing.Any] = {}
    waiting = [getattr(calibscope, name) for name in calibscope.__all__ if name != "__version__"]
    while waiting:
        thing = waiting.pop(0)
        if inspect.isfunction(thing):
            functions[thing.__name__] = thing
            waiting += named_classes(hints(thing).get("return"))
        elif isinstance(thing, type) and thing.__name__ not in classes:
            classes[thing.__name__] = thing
            if dataclasses.is_dataclass(thing):
                known = hints(thing)
                for field in dataclasses.fields(thing):
                    if not field.name.startswith("_"):
                        waiting += named_classes(known[field.name])
            if issubclass(thing, enum.Enum):
                continue
            for name, function in members(thing):
                functions[name] = function
                waiting += named_classes(hints(function).get("return"))
    return classes, functions
