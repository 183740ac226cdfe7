"""Columns that several exported tables have."""

from calibscope.base.parameters import Specs
from calibscope.report.export.columns import Column, count, number, of_stored, text
from calibscope.study import tables

OF_DAYS = of_stored(tables.DAYS.columns)
DATE, MODEL = OF_DAYS["date"], OF_DAYS["model"]
RMSRE, EDOF, SUMMARY = (OF_DAYS[name] for name in ("rmsre", "edof", "summary"))
MATURITY = of_stored(tables.QUOTES.columns)["maturity"]
LABEL, PARAMETER, LEVEL = of_stored((tables.LABEL, tables.PARAMETER, tables.LEVEL)).values()
DAYS = count("days with results")
PERIOD = text('a year, or "all"')
SCALE = of_stored(tables.INTERVALS.columns)["scale"]
RANGE = of_stored(tables.NEAR_OPTIMAL)
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
    wanted = [f"largest_{name}{where}" for name in names for where in ("", "_at")]
    return {name: OF_DAYS[name] for name in wanted}


def quantiles(unit: str, of: str, prefix: str = "") -> dict[str, Column]:
    """Seven quantiles of something."""
    return {f"{prefix}{name}": number(unit, f"{words} of {of}") for name, words in ENDS.items()}
