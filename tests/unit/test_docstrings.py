"""What the reference promises: every public name says what it takes, gives and rests on."""

import ast
import functools
import importlib
import inspect
import re
import textwrap
from pathlib import Path

import pytest
from numpydoc.docscrape import FunctionDoc
from public_names import public

PAGES = Path(__file__).parents[2] / "docs" / "api"
DIRECTIVE = re.compile(r"^\.\. auto(?:function|class|exception):: (\S+)$", re.MULTILINE)
NUMERICAL = re.compile(r"\b(Array|float)\b")  # in what a function says that it returns
LAYERS = ("market", "models", "calibration", "diagnosis", "study.statistics")
FORMULA = re.compile(
    r"\.\. math::|:math:"
    r"|[\w)\]|*] (=|<=|>=|>|!=) [\w(|\[-]"  # an equation, as we write them in a line
    r"|\w\^[\w(-]|\b(sqrt|exp|log|mean|median|trace|max|min|argmin|diag)\b ?[(|]"
    r"|[\w)|\]] [/-] [\w(|]|\|\w+\|"  # a quotient or a difference
)
SOURCE = re.compile(r"\b[Pp]aper\b|\b(19|20)\d\d\b")  # the paper, or an author with a year


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


CALLABLE = sorted(name for name in functions() if not is_property(name))


def source_of(function):
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return node


def computes(function):
    """Whether it does more than hand out what is there: an attribute, an entry, a constant."""
    body = source_of(function).body
    value = body[-1].value if isinstance(body[-1], ast.Return) and len(body) == 2 else body[-1]
    while isinstance(value, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(value, ast.Call):
            if ast.unparse(value.func) not in ("float", "cast", "np.asarray", "np.array"):
                return True
            value = value.args[-1]
        else:
            value = value.value
    return not isinstance(value, (ast.Name, ast.Constant))


def is_numerical(function):
    """Whether a formula must be given: numbers come out of a layer that computes them."""
    layer = function.__module__.removeprefix("calibscope.")
    node = source_of(function)
    is_number = node.returns is not None and NUMERICAL.search(ast.unparse(node.returns))
    is_statistic = layer.startswith("study.statistics")
    return layer.startswith(LAYERS) and bool(is_number or is_statistic) and computes(function)


FORMULAS = sorted(name for name, function in functions().items() if is_numerical(function))


def test_the_rule_for_numerical_functions_finds_what_it_should():
    assert {
        "G2.prices", "DiscountCurve.zero_rate", "Fit.rmsre", "Geometry.hat_matrix",
        "Diagnosis.sensitivity", "Caplets.implied_normal_vols", "svensson_zero_rates",
        "boundary_dominance",
    } <= set(FORMULAS)  # fmt: skip
    assert not {"DiscountCurve.scheme", "read_market", "Market.day"} & set(FORMULAS)
    assert len(FORMULAS) > 80


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


@pytest.mark.parametrize("name", FORMULAS)
def test_a_numerical_function_says_by_which_formula_and_from_where(name):
    text = inspect.getdoc(functions()[name]) or ""
    kind = public()[0].get(name.partition(".")[0])
    if is_property(name):  # a property may rest on what its class says
        text += inspect.getdoc(kind) or ""
    prose = text.partition("Examples\n--------")[0]
    assert FORMULA.search(prose), f"{name}: which formula?"
    assert SOURCE.search(prose), f"{name}: from where? The paper, or author and year"


@pytest.mark.parametrize("text", ["The root of all.", "Counts what is there; (m,) numbers."])
def test_plain_words_are_no_formula(text):
    assert not FORMULA.search(text)
