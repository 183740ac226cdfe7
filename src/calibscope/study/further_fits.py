"""Parameters of fits other than the day's own: local optima, challenger fits, quotes left out.

In the store they are rows, one per parameter, so that any model's fit in one table; users read them
as columns beside what else is known of such a fit.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete

from calibscope.study import schema
from calibscope.study.columns import Columns

if TYPE_CHECKING:
    import pandas as pd

KEYS = {"optima": "rank", "challenger_fits": "variant", "left_out": "label"}  # by table


class FurtherFits:
    """Columns of `further_fits`, filled fit by fit."""

    def __init__(self, day: str = "day_id") -> None:
        self.columns: Columns = {name: [] for name in (day, "fit", "key", "parameter", "value")}

    def add(self, day: int, table: str, key: object, values: Mapping[str, float | None]) -> None:
        """A row per parameter.

        Parameters
        ----------
        day : number of the day, or its place in a chunk
        table : that has the rest of what is known of the fit
        key : of the fit in that table
        values : by parameter
        """
        for parameter, value in values.items():
            known = None if value != value else value  # a database has no NaN
            row = (day, table, str(key), parameter, known)
            for column, entry in zip(self.columns.values(), row, strict=True):
                column.append(entry)


def delete_further_fits(connection: Connection, table: str, day_ids: Sequence[int]) -> None:
    """Remove the parameters of what is replaced in a table."""
    rows = schema.further_fits
    connection.execute(delete(rows).where(rows.c.fit == table, rows.c.day_id.in_(day_ids)))


def with_parameters(
    frame: "pd.DataFrame", values: "pd.DataFrame", table: str, names: Sequence[str], before: str
) -> "pd.DataFrame":
    """A table of fits with a column per parameter.

    Parameters
    ----------
    frame : the rows of `table`
    values : those of `further_fits`, with the same first column (date or day_id)
    names : of the parameters, in order
    before : the column before which they are put, or "" for the end
    """
    day, key = frame.columns[0], KEYS[table]
    mine = values[values["fit"] == table]
    wide = mine.pivot(index=[day, "key"], columns="parameter", values="value")
    wide = wide.reindex(columns=list(names)).rename_axis(columns=None)
    index = [frame[day], frame[key].astype(str)]
    found = wide.reindex(index).set_axis(frame.index, axis=0)
    place = frame.columns.get_loc(before) if before else len(frame.columns)
    left, right = frame.iloc[:, :place], frame.iloc[:, place:]
    return left.join(found).join(right)
