"""Columns that several exported tables have."""

from calibscope.report.export.columns import (
    Column,
    Kind,
    count,
    number,
    number_of,
    share,
    text,
)
from calibscope.study.model import SPECS

DATE = Column(Kind.DATE, "", "day of the quotes")
MATURITY = number("years", "maturity of the cap")
LABEL = text("the maturity as a word, such as 10Y")
PARAMETER = text(f"{', '.join(SPECS.names[:-1])} or {SPECS.names[-1]}")
DAYS = count("days with results")
PERIOD = text('a year, or "all"')
RUN = number_of("the run that computed it, in `runs`")
RMSRE = number("relative", "root mean squared relative price error of the fit")
EDOF = number("1", "effective degrees of freedom: directions that the quotes determine")
SUMMARY = text("the diagnosis in a sentence or two")
SCALE = text("estimate of the noise: mad_adjusted, mad or mse")
LEVEL = share("confidence level")
UNITS = {spec.name: spec.unit for spec in SPECS}
FIVE = {spec.name: number(spec.unit, spec.sentence) for spec in SPECS}
LARGEST = {
    "residual": ("relative", "relative price error (model/market - 1)"),
    "leverage": ("1", "leverage"),
    "influence": ("mixed", "influence score"),
    "cooks_distance": ("1", "Cook's distance"),
    "studentized": ("1", "externally studentised residual"),
}
ENDS = {
    "min": "smallest", "q05": "5 % quantile", "q25": "25 % quantile", "median": "median",
    "q75": "75 % quantile", "q95": "95 % quantile", "max": "largest",
}  # fmt: skip
COMPONENTS = [f"PC{i}" for i in range(1, 6)]


def largest(*names: str) -> dict[str, Column]:
    """The largest entry of a day, and where it is."""
    columns = {}
    for name in names:
        unit, words = LARGEST[name]
        columns[f"largest_{name}"] = number(unit, f"{words} of largest size, with its sign")
        columns[f"largest_{name}_at"] = text(f"the maturity that has it: {words}")
    return columns


def quantiles(unit: str, of: str, prefix: str = "") -> dict[str, Column]:
    """Seven quantiles of something."""
    return {f"{prefix}{name}": number(unit, f"{words} of {of}") for name, words in ENDS.items()}
