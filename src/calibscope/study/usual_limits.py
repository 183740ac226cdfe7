"""From where on the size of a number makes a day amber or red, unless [governance] says otherwise.

A status that is always amber is uninformative: these leave three in five days of the synthetic
market green, although 3Y has a leverage near one on many of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UsualLimit:
    """A column of `study.days`, and the sizes from where on it needs review."""

    unit: str
    sentence: str
    amber: float
    red: float | None = None  # None: never


RMSRE_AMBER, RMSRE_RED = 0.02, 0.05

USUAL_LIMITS = {
    "rmsre": UsualLimit(
        "relative", "root mean squared relative error of the prices", RMSRE_AMBER, RMSRE_RED
    ),
    "largest_residual": UsualLimit("relative", "largest relative error of a price", 0.05, 0.10),
    "largest_studentized": UsualLimit(
        "standard deviations", "largest studentised residual", 12.0, 20.0
    ),
    "largest_leverage": UsualLimit("1", "largest leverage of a quote", 0.998),
    "lost_directions": UsualLimit(
        "directions", "parameter combinations that the quotes do not determine", 1, 2
    ),
}
