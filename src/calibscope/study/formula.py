"""Which formula is it? A hash of the text of a function or class, and of all that it is made with.

A stored number is valid as long as its formula is the one that it was computed with. Part of a
formula are

- its text: of a lambda or a function that was typed at a prompt, its instructions;
- defaults, closure, bound arguments, and what a callable object holds (its `repr`, if its class has
  one of its own, else its attributes); arrays by their bytes;
- what it uses of its own package: functions and classes by their text, and so on with what those
  use; numbers, words, tuples and arrays by value; a list, a dictionary or another object by the
  statement that makes it, because it may be a memory that fills while the formula computes.

Not part of it: other packages, calibscope among them (the audit trail has versions), what is looked
up by a name that is made at run time, and files that are read.
"""

import ast
import hashlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # another one in every process
DIGITS = 12  # of a version
SIMPLE = (type(None), bool, int, float, complex, str, bytes, Path)


def version_of(formula: Any, *more: str) -> str:
    """The hash of a formula, and of some words on what it is used for."""
    content = b"\x1f".join((*map(str.encode, more), *_Reader(formula).parts()))
    return hashlib.sha256(content).hexdigest()[:DIGITS]


class _Reader:
    """Everything that one formula is made of, each once."""

    def __init__(self, formula: Any) -> None:
        self.formula = formula
        self.package = _package(_class_or_function(formula))
        self.seen: dict[int, Any] = {}  # by identity; kept, so that no number is used twice

    def parts(self) -> Iterator[bytes]:
        """As bytes, in an order that is the same in every process."""
        return self._of(self.formula)

    def _of(self, thing: Any) -> Iterator[bytes]:
        if isinstance(thing, SIMPLE):
            yield repr(thing).encode()
            return
        if id(thing) in self.seen:
            yield b"again"
            return
        self.seen[id(thing)] = thing
        yield type(thing).__qualname__.encode()
        if isinstance(thing, np.ndarray | np.generic):
            yield from self._array(np.asarray(thing))
        elif isinstance(thing, tuple | list):
            yield from self._each(thing)
        elif isinstance(thing, set | frozenset):
            yield from self._each(sorted(thing, key=repr))
        elif isinstance(thing, Mapping):
            yield from self._each(pair for pair in thing.items())
        elif isinstance(thing, partial):
            yield from self._each((thing.func, thing.args, thing.keywords))
        elif isinstance(thing, MethodType):
            yield from self._each((thing.__func__, thing.__self__))
        elif isinstance(thing, staticmethod | classmethod):
            yield from self._of(thing.__func__)
        elif isinstance(thing, property):
            yield from self._each((thing.fget, thing.fset))
        elif isinstance(thing, cached_property):
            yield from self._of(thing.func)
        elif isinstance(thing, type):
            yield from self._class(thing)
        elif isinstance(thing, FunctionType):
            yield from self._function(thing)
        elif isinstance(thing, ModuleType):
            yield thing.__name__.encode()
        elif (inner := _compiled_from(thing)) is not None:
            yield from self._of(inner)
        elif inspect.isroutine(thing) or isinstance(thing, np.ufunc):
            yield _name(thing).encode()
        else:
            yield from self._object(thing)

    def _each(self, things: Iterable[Any]) -> Iterator[bytes]:
        for thing in things:
            yield from self._of(thing)

    def _array(self, values: np.ndarray[Any, Any]) -> Iterator[bytes]:
        yield f"{values.dtype} {values.shape}".encode()
        if values.dtype.hasobject:
            yield from self._each(values.ravel().tolist())
        else:
            yield values.tobytes()

    def _object(self, thing: Any) -> Iterator[bytes]:
        """What an object holds; a class that says what that is, is believed."""
        kind = type(thing)
        yield from self._of(kind)
        if is_dataclass(thing):
            yield from self._each((one.name, getattr(thing, one.name)) for one in fields(thing))
        elif any("__repr__" in vars(each) for each in kind.__mro__[:-1]):
            with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
                yield ADDRESS.sub("", repr(thing)).encode()
        else:
            slots = (name for each in kind.__mro__ for name in getattr(each, "__slots__", ()))
            held = {name: getattr(thing, name, None) for name in slots} | getattr(
                thing, "__dict__", {}
            )
            yield from self._each(sorted(held.items()))

    def _class(self, kind: type) -> Iterator[bytes]:
        yield _name(kind).encode()
        if not self._is_ours(kind):
            return
        yield _text(kind).encode()
        for name, member in sorted(vars(kind).items()):
            if _is_written(kind, name, member):
                yield name.encode()
                yield from self._of(member)
        yield from self._each(kind.__bases__)

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        if not self._is_ours(function):
            yield _name(function).encode()
            return
        yield (_text(function) or _instructions(function.__code__)).encode()
        cells = (cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell))
        yield from self._each((function.__defaults__, function.__kwdefaults__, *cells))
        names = sorted(_names(function.__code__))
        for name in names:
            if name in function.__globals__:
                yield name.encode()
                yield from self._global(function.__module__, name, function.__globals__[name])
        for module in self._modules(function.__globals__[n] for n in names if n in
                                    function.__globals__):  # fmt: skip
            for name in names:
                if name in vars(module):
                    yield from self._global(module.__name__, name, vars(module)[name])

    def _modules(self, things: Iterable[Any]) -> list[ModuleType]:
        """Those of the package, whose names a formula may use: `constants.LIMIT`."""
        return [one for one in things if isinstance(one, ModuleType) and self._is_ours(one)]

    def _global(self, module: str, name: str, thing: Any) -> Iterator[bytes]:
        """What a formula finds in its module; what may change while it computes, by its text."""
        is_constant = isinstance(thing, (*SIMPLE, tuple, frozenset, np.ndarray, np.generic, partial,
                                         type, ModuleType)) or inspect.isroutine(thing)  # fmt: skip
        text = "" if is_constant else _assignment(module, name)
        if text:
            yield text.encode()
            yield from self._of(type(thing))
        else:
            yield from self._of(thing)

    def _is_ours(self, thing: Any) -> bool:
        return thing is self.formula or (self.package != "" and _package(thing) == self.package)


def _class_or_function(formula: Any) -> Any:
    """What says to which package a formula belongs."""
    if isinstance(formula, partial):
        return _class_or_function(formula.func)
    if isinstance(formula, type) or inspect.isroutine(formula):
        return formula
    return type(formula)


def _package(thing: Any) -> str:
    name = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
    return (name or "").partition(".")[0]


def _compiled_from(thing: Any) -> Any:
    """The function below a decorator such as Numba's or `functools.cache`."""
    return getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)


def _name(thing: Any) -> str:
    return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', thing.__name__)}"


def _text(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or no Python
        return ""


def _instructions(code: CodeType) -> str:
    inner = (_instructions(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return " ".join((repr(code.co_code), repr(code.co_names), *inner))


def _names(code: CodeType) -> set[str]:
    """All names that a function and those in it look up."""
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


def _is_filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _is_written(kind: type, name: str, member: Any) -> bool:
    """Whether a member of a class is its author's, not made by Python or a decorator."""
    if name.startswith(("__", "_abc_")):
        code = getattr(inspect.unwrap(member), "__code__", None)
        is_made = is_dataclass(kind) and name != "__call__"
        return code is not None and not (is_made and code.co_filename == "<string>")
    return type(member).__name__ not in ("member_descriptor", "getset_descriptor")


def _assignment(module: str, name: str) -> str:
    """The statements of a module that give a name its value; empty if there are none to read."""
    try:
        text = inspect.getsource(sys.modules[module])
        tree = ast.parse(text)
    except (OSError, TypeError, KeyError, SyntaxError):
        return ""
    found = (each for each in tree.body if name in _targets(each))
    return "\n".join(ast.get_source_segment(text, each) or "" for each in found)


def _targets(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Assign):
        targets: list[ast.expr] = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    else:
        return set()
    return {node.id for each in targets for node in ast.walk(each) if isinstance(node, ast.Name)}
