"""Columns that several exported tables have."""

from calibscope.base.parameters import Specs
from calibscope.report.export.columns import (
    Column,
    Kind,
    count,
    flag,
    number,
    number_of,
    share,
    text,
)

DATE = Column(Kind.DATE, "", "day of the quotes")
MATURITY = number("years", "from today to the last payment")
LABEL = text("the quote's name within its day: 10Y, 10Y floor, 10Y @2%")
MODEL = text("the model that was fitted, by name")
PARAMETER = text("of the model, by name: a_x, a_y, sigma_x, sigma_y or rho_xy of G2++")
DAYS = count("days with results")
PERIOD = text('a year, or "all"')
RUN = number_of("the run that computed it, in `runs`")
RMSRE = number("relative", "root mean squared relative price error of the fit")
EDOF = number("1", "effective degrees of freedom: directions that the quotes determine")
SUMMARY = text("the diagnosis in a sentence or two")
SCALE = text("estimate of the noise: mad_adjusted, mad or mse")
LEVEL = share("confidence level")
LARGEST = {
    "residual": ("relative", "relative price error (model/market - 1)"),
    "leverage": ("1", "leverage"),
    "influence": ("mixed", "influence score"),
    "cooks_distance": ("1", "Cook's distance"),
    "studentized": ("1", "externally studentised residual"),
}
RANGE = {
    "low": number("own", "lower end of the near-optimal range"),
    "high": number("own", "upper end of the near-optimal range"),
    "is_low_at_bound": flag("the bound is the lower end"),
    "is_high_at_bound": flag("the bound is the upper end"),
}
ENDS = {
    "min": "smallest", "q05": "5 % quantile", "q25": "25 % quantile", "median": "median",
    "q75": "75 % quantile", "q95": "95 % quantile", "max": "largest",
}  # fmt: skip


def parameters(specs: Specs, before: str = "") -> dict[str, Column]:
    """A column per parameter of a model.

    Parameters
    ----------
    before : what its numbers are, if not the parameter itself
    """
    return {spec.name: number(spec.unit, f"{before}{spec.sentence}") for spec in specs}


def largest(*names: str) -> dict[str, Column]:
    """The largest entry of a day, and where it is."""
    columns = {}
    for name in names:
        unit, words = LARGEST[name]
        columns[f"largest_{name}"] = number(unit, f"{words} of largest size, with its sign")
        columns[f"largest_{name}_at"] = text(f"label of the quote that has it: {words}")
    return columns


def quantiles(unit: str, of: str, prefix: str = "") -> dict[str, Column]:
    """Seven quantiles of something."""
    return {f"{prefix}{name}": number(unit, f"{words} of {of}") for name, words in ENDS.items()}
