"""The five parameters of G2++: their order, and what values the model admits."""

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.brief import brief

PARAMETERS = ("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")
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
            f"parameters have shape {values.shape}; give {len(PARAMETERS)} for each of {days} days"
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
