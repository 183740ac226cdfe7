"""What every exported column is: its kind, its unit and its meaning, in one place.

Units are those of the stored numbers; nothing is converted. "relative" is a share of the price or
of the quantity itself (0.01 is 1 %), "share" is between 0 and 1, "1" has no unit, "own" is the
unit of the parameter in the same row (speeds 1/year, volatilities 1/year^1.5), and "mixed" adds up
numbers of different units, as the paper does.
"""

from calibscope.base.parameters import Specs
from calibscope.report.export.columns import Description
from calibscope.report.export.statistics_tables import statistics_tables
from calibscope.report.export.stored_tables import stored_tables


def dictionary(specs: Specs) -> dict[str, Description]:
    """Every table of a study of a model with these parameters, by name."""
    return {**stored_tables(specs), **statistics_tables(specs)}
