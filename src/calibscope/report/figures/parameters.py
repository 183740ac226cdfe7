"""How figures write the five parameters: symbol, what they are, unit, scale."""

from dataclasses import dataclass
from typing import Any

from calibscope.models.g2.parameters import PARAMETERS


@dataclass(frozen=True, slots=True)
class Writing:
    """A parameter on an axis."""

    symbol: str
    unit: str
    is_log: bool

    @property
    def axis(self) -> str:
        """The title of its axis."""
        return f"{self.symbol}, {self.unit}" if self.unit else self.symbol


WRITINGS = {
    "a_x": Writing("a<sub>x</sub>", "1/year", True),
    "a_y": Writing("a<sub>y</sub>", "1/year", True),
    "sigma_x": Writing("\N{GREEK SMALL LETTER SIGMA}<sub>x</sub>", "1/year<sup>3/2</sup>", True),
    "sigma_y": Writing("\N{GREEK SMALL LETTER SIGMA}<sub>y</sub>", "1/year<sup>3/2</sup>", True),
    "rho_xy": Writing("\N{GREEK SMALL LETTER RHO}<sub>xy</sub>", "", False),
}


def scale_of(parameter: str, step: int = 1) -> dict[str, Any]:
    """How its axis counts: speeds and volatilities in powers of ten, `step` of them at once."""
    if WRITINGS[parameter].is_log:
        return {"type": "log", "dtick": step, "exponentformat": "power"}
    return {"type": "linear", "nticks": 5}


def writing(parameter: str) -> Writing:
    """That of one parameter, or an error that names them all."""
    if parameter not in WRITINGS:
        raise ValueError(f"parameter is {parameter!r}; give one of {', '.join(PARAMETERS)}")
    return WRITINGS[parameter]
