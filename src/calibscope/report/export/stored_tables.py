"""The columns of a study's own tables, as users see them: a date for the row of a day.

What they are is in `study/tables.py`. Parameters of further fits, and moves of variants, are
columns here and rows in the store.
"""

from calibscope.base.parameters import Specs
from calibscope.report.export.columns import (
    Column,
    Description,
    flag,
    number,
    of_stored,
    share,
    text,
)
from calibscope.report.export.shared_columns import DATE, MATURITY, parameters
from calibscope.study import tables
from calibscope.study.robustness_rows import EDOF_COLUMNS, MOVE, edof_columns
from calibscope.study.tables import StoredTable

DATED = (
    tables.QUOTES, tables.PARAMETERS, tables.INTERVALS, tables.INFLUENCE, tables.DIRECTIONS,
    tables.METRICS, tables.OPTIMA, tables.CHALLENGER_FITS, tables.LEFT_OUT, tables.PROFILES,
    tables.RANGES, tables.FAILED_REFITS, tables.SCREENING,
)  # fmt: skip
PLACE = "place"  # the order of rows, which users have them in
UNDATED = (tables.DAYS, tables.RUNS, tables.THRESHOLD_CHANGES)


def stored_tables(specs: Specs) -> dict[str, Description]:
    """Those of a study of a model with these parameters."""
    found = {table.name: _described(table, {"date": DATE}) for table in DATED}
    found |= {table.name: _described(table) for table in UNDATED}
    for name, columns in _further(specs).items():
        found[name] = Description(found[name].one_row_per, {**found[name].columns, **columns})
    return {
        **found,
        "rag": Description(
            "date",
            {
                "date": DATE,
                "rag": text("green, amber, red, or grey: no results; by the rules of the last run"),
                "reasons": text("why it is amber or red"),
                "notes": text("what does not change the colour: a day that could not be screened"),
            },
        ),
        "superseded": Description(
            "former result of a date that was computed anew", found["days"].columns
        ),
        "robustness": _robustness(specs),
    }


def _described(table: StoredTable, first: dict[str, Column] | None = None) -> Description:
    columns = of_stored(column for column in table.columns if column.name != PLACE)
    return Description(table.one_row_per, {**columns, **(first or {})})


def _further(specs: Specs) -> dict[str, dict[str, Column]]:
    """What users find in a table that the store has elsewhere."""
    return {
        "influence": {"maturity": MATURITY},
        "intervals": {
            "is_contradicted": flag(
                "the profile of that scale has other ends; none where no profile is stored"
            )
        },
        "metrics": {"unit": text("the metric's unit; what it is, is in the table of columns")},
        "optima": parameters(specs),
        "challenger_fits": parameters(specs),
        "left_out": {"maturity": MATURITY, **parameters(specs, "shift without the quote: ")},
    }


def _robustness(specs: Specs) -> Description:
    p, described = len(specs.names), _described(tables.ROBUSTNESS)
    edof = zip(edof_columns(p), (f"{p}", f"{p - 1}", f"{p - 2} or less"), strict=True)
    moves = {
        f"{MOVE}{name}": number("1", f"median move of {name}, by log (rho as it is)")
        for name in specs.names
    }
    kept = {name: one for name, one in described.columns.items() if name not in EDOF_COLUMNS}
    shares = {name: share(f"days with EDoF {words}") for name, words in edof}
    return Description(described.one_row_per, {**kept, **moves, **shares})
