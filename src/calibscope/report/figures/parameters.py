"""How figures write parameters: symbol, unit, scale, from what the model says of them."""

import re
from typing import Any

from calibscope.base.parameters import ParameterSpec, Specs

GREEK = {r"\sigma": "\N{GREEK SMALL LETTER SIGMA}", r"\rho": "\N{GREEK SMALL LETTER RHO}"}


def symbol_of(spec: ParameterSpec) -> str:
    """Its symbol in HTML; its name, if it has none."""
    text = spec.symbol or spec.name
    for latex, letter in GREEK.items():
        text = text.replace(latex, letter)
    return re.sub(r"_(\w+)", r"<sub>\1</sub>", text) if spec.symbol else text


def axis_of(spec: ParameterSpec) -> str:
    """The title of its axis."""
    unit = spec.unit.replace("^1.5", "<sup>3/2</sup>")
    return f"{symbol_of(spec)}, {unit}" if unit != "1" else symbol_of(spec)


def scale_of(spec: ParameterSpec, step: int = 1) -> dict[str, Any]:
    """How its axis counts: logarithms in powers of ten, `step` of them at once."""
    if is_log(spec):
        return {"type": "log", "dtick": step, "exponentformat": "power"}
    return {"type": "linear", "nticks": 5}


def is_log(spec: ParameterSpec) -> bool:
    """Whether its axis is logarithmic."""
    return spec.interval_scale.transform == "log"


def spec_of(specs: Specs, parameter: str) -> ParameterSpec:
    """That of one parameter, or an error that names them all."""
    if parameter not in specs.names:
        raise ValueError(f"parameter is {parameter!r}; give one of {', '.join(specs.names)}")
    return specs[parameter]
