"""What `calibscope robustness` shows: one table, and how to read it."""

from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.report.tables import heading, plain_table
from calibscope.study.model import PARAMETERS
from calibscope.study.robustness import ENDS, FAR, WORSE

if TYPE_CHECKING:
    import pandas as pd

NO_NUMBER = "-"


def robustness_page(table: "pd.DataFrame", source: str) -> RenderableType:
    """How RMSRE, parameters, leverage and EDoF move from variant to variant."""
    rows: list[dict[str, Any]] = table.to_dict("records")
    return Group(
        Text(f"{source}: {rows[0]['days']:,} days, calibrated in {len(rows)} ways", style="bold"),
        heading("How well they fit, and how far the parameters move"),
        _fits(rows),
        Text(
            f"\nmissed: share of days with a sum of squares more than {WORSE:.1%} above the "
            "baseline's; '-' where the quotes are others.\nmoved: share of days on which log a, "
            f"log sigma or rho moves by more than {FAR:g}; beside it the median moves.",
            style="dim",
        ),
        heading("What decides the fit: leverage at the ends, and EDoF levels"),
        _geometry(rows),
        Text(
            f"\nshort, long: mean share of the leverage on the {ENDS} shortest and the {ENDS} "
            "longest caps; largest move: of one maturity's mean leverage.",
            style="dim",
        ),
        Text("\n" + _sentence(rows), style="bold"),
    )


def _fits(rows: list[dict[str, Any]]) -> RenderableType:
    table = plain_table()
    table.add_column("variant")
    for title in ("RMSRE", "missed", "moved", *PARAMETERS):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(
            row["variant"],
            f"{row['rmsre']:.2%}",
            _share(row["worse"]),
            _share(row["moved"]),
            *(f"{row[f'move_{name}']:.3f}" for name in PARAMETERS),
        )
    return table


def _geometry(rows: list[dict[str, Any]]) -> RenderableType:
    table = plain_table()
    table.add_column("variant")
    for title in ("short", "long", "largest move", "EDoF 5", "4", "3 or less", "as baseline"):
        table.add_column(title, justify="right")
    names = (
        "short_end",
        "long_end",
        "leverage_move",
        "edof_5",
        "edof_4",
        "edof_3_or_less",
        "edof_same",
    )
    for row in rows:
        cells = [_share(row[name]) for name in names]
        cells[2] = f"{row['leverage_move']:.2f}"
        table.add_row(row["variant"], *cells)
    return table


def _share(value: float) -> str:
    return NO_NUMBER if value != value else f"{value:.0%}"


def _sentence(rows: list[dict[str, Any]]) -> str:
    """The variant that matters most, in words."""
    if len(rows) < 2:
        return "There is nothing to compare with."
    worst = max(rows[1:], key=lambda row: float(row["moved"]))
    text = f"Parameters depend most on: {worst['variant']} (others on {worst['moved']:.0%} of days)"
    missed = max(
        rows[1:], key=lambda row: float(row["worse"] if row["worse"] == row["worse"] else 0)
    )
    if missed["worse"] > 0:
        text += f"; {missed['variant']} misses the optimum on {missed['worse']:.0%}"
    return text + "."
