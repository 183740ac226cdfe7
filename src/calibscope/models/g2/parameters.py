"""The five parameters of G2++: what they are, their order, and what values the model admits."""

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.brief import brief
from calibscope.base.numbers import counted
from calibscope.base.parameters import ParameterSpec, Specs
from calibscope.base.transforms import Scale

LOG = Scale("log")
# Speeds below 0.01 are nearly alike: on log a itself, Newton's method would approach the bound at
# 1e-5 in steps of one.
SLOW = 0.01
LIMITS = (1e-8, 1e3)


def _speed(name: str, factor: str, start: float) -> ParameterSpec:
    return ParameterSpec(
        name, name, "1/year", f"speed of {name[-1]}, per year",
        f"mean reversion speed of the {factor}", bounds=(1e-5, 10.0), limits=LIMITS,
        plausible=(1e-5, 5.0), start=start, solver_scale=Scale("log", SLOW), interval_scale=LOG,
    )  # fmt: skip


def _volatility(name: str, factor: str) -> ParameterSpec:
    return ParameterSpec(
        name, rf"\{name}", "1/year^1.5", f"volatility of {name[-1]}", f"volatility of the {factor}",
        bounds=(1e-5, 1.0), limits=LIMITS, plausible=(0.0, 0.1), start=0.01, solver_scale=LOG,
        interval_scale=LOG,
    )  # fmt: skip


# Bounds are the paper's; a half-life of seven weeks and factors that move 10 % a year are the most
# that is plausible.
SPECS = Specs(
    (
        _speed("a_x", "first factor, the faster one", 0.5),
        _speed("a_y", "second factor", 0.05),
        _volatility("sigma_x", "first factor"),
        _volatility("sigma_y", "second factor"),
        ParameterSpec(
            "rho_xy", r"\rho_xy", "1", "correlation", "correlation of the factors",
            bounds=(-1.0, 1.0), limits=(-1.0, 1.0), plausible=(-1.0, 1.0), start=-0.7,
            interval_scale=Scale("arctanh"),
        ),
    ),
    quotes="quotes",
    outputs="prices",
)  # fmt: skip
PARAMETERS = SPECS.names
SWAP = np.array([1, 0, 3, 2, 4])  # the same model with the other factor first
EQUAL_SPEEDS = 1e-3  # speeds that agree to this are one factor
LOWEST = np.array([0.0, 0.0, 0.0, 0.0, -1.0])
HIGHEST = np.array([np.inf, np.inf, np.inf, np.inf, 1.0])


def checked_parameters(parameters: ArrayLike, days: int) -> Array:
    """The (days, 5) parameter table, or an error that names what is outside the model."""
    try:
        values = np.array(parameters, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"parameters must be numbers in the order {', '.join(PARAMETERS)}; got "
            f"{brief(parameters)}"
        ) from None
    if values.shape != (days, len(PARAMETERS)):
        raise ValueError(
            f"parameters have shape {values.shape}; give {len(PARAMETERS)} for "
            f"{counted(days, 'day')}"
        )
    inside = np.isfinite(values) & (values >= LOWEST) & (values <= HIGHEST)
    if not inside.all():
        problems = [
            f"{PARAMETERS[p]} is {values[day, p]:g}" + (f" on day {day}" if days > 1 else "")
            for day, p in np.argwhere(~inside)
        ]
        raise ValueError(
            f"{', '.join(problems)}; speeds a and volatilities sigma must be finite and not "
            "negative, and rho_xy must lie between -1 and 1"
        )
    return values
