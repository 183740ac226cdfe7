"""How a comparison of variants is kept: a row per variant, and one per variant and parameter."""

from typing import TYPE_CHECKING

from sqlalchemy import Table

from calibscope.study import schema
from calibscope.study.columns import Columns, without_nan

if TYPE_CHECKING:
    import pandas as pd

MOVE = "move_"  # and the parameter: a column for users
EDOF_COLUMNS = ("edof_full", "edof_one_less", "edof_fewer")  # in the store, whatever the model


def edof_columns(full: int) -> tuple[str, str, str]:
    """For users: shares of days by EDoF, of a model with so many parameters."""
    return f"edof_{full}", f"edof_{full - 1}", f"edof_{full - 2}_or_less"


def as_rows(table: "pd.DataFrame") -> dict[Table, Columns]:
    """A comparison as columns of the store's tables."""
    count, names = len(table), [name for name in table.columns if name.startswith(MOVE)]
    stored = dict(zip(edof_columns(len(names)), EDOF_COLUMNS, strict=True))
    columns: Columns = {
        stored.get(name, name): values.tolist()
        if values.dtype.kind not in "f"
        else without_nan(values.to_numpy())
        for name, values in table.drop(columns=names).items()
    }
    moves: Columns = {
        "place": [place for place in range(count) for _ in names],
        "number": list(range(len(names))) * count,
        "parameter": [name.removeprefix(MOVE) for name in names] * count,
        "move": without_nan(table[names].to_numpy()),
    }
    return {
        schema.robustness: {"place": list(range(count)), **columns},
        schema.robustness_moves: moves,
    }


def as_frame(table: "pd.DataFrame", moves: "pd.DataFrame") -> "pd.DataFrame":
    """A comparison for users, from what the store has.

    Parameters
    ----------
    table, moves : its two tables
    """
    moves = moves.sort_values(["place", "number"])
    names = moves["parameter"].drop_duplicates().tolist()
    wide = moves.pivot(index="place", columns="parameter", values="move").reindex(columns=names)
    wide = wide.rename(columns=lambda name: f"{MOVE}{name}").reindex(table["place"])
    shares = zip(EDOF_COLUMNS, edof_columns(len(names)), strict=True)
    left, right = table.loc[:, :"moved"], table.loc[:, "short_end":]
    found = left.join(wide.set_axis(table.index)).join(right.rename(columns=dict(shares)))
    return found.drop(columns="place")
