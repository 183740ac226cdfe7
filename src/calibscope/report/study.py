"""What `calibscope run` and `calibscope demo` show of a study: one screen."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from calibscope.diagnosis.settings import USUAL
from calibscope.market.maturity import label
from calibscope.report.bars import bar
from calibscope.report.run import COLOURS
from calibscope.report.tables import heading, plain_table
from calibscope.study import statistics
from calibscope.study.events import REFERENCE_DATES
from calibscope.study.study import Study
from calibscope.study.usual_limits import RMSRE_AMBER

BAR = 12  # characters
RED_DAYS = 3  # that are listed
NEAR_ONE = USUAL.leverage_near_one
VARIANTS = {
    "edof": "as in the paper",
    "edof_scaled": "by logarithms",
    "edof_strict": "all bounds held",
}
LEVELS = (5, 4, 3)


def study_page(study: Study) -> RenderableType:
    """Fit, three reference dates, leverage profile, EDoF levels, active bounds, red days."""
    if study.fitted.empty:
        return Text(f"{study!r}: no day has results; study.days says why", style="bold")
    return Group(
        _headline(study),
        *_reference_dates(study),
        _side_by_side(_leverage(study), Group(_edof(study), _bounds(study))),
        *_ratings(study),
    )


def _side_by_side(left: RenderableType, right: RenderableType) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(ratio=1)
    grid.add_row(left, right)
    return grid


def _headline(study: Study) -> Text:
    days, fitted = study.days, study.fitted
    label = "SYNTHETIC " if study.is_synthetic else ""
    lost = len(days) - len(fitted)
    text = f"{label}{study.runs['market'].iloc[-1]}: {len(fitted):,} days calibrated and diagnosed"
    text += f", {lost:,} without results" if lost else ""
    rmsre = fitted["rmsre"]
    return Text.assemble(
        (f"{text}\n", "bold"),
        f"{days['date'].iloc[0].date()} to {days['date'].iloc[-1].date()}. RMSRE: median "
        f"{rmsre.median():.2%}, above {100 * RMSRE_AMBER:g} % on "
        f"{(rmsre > RMSRE_AMBER).sum():,} days, highest {rmsre.max():.1%}.",
    )


def _reference_dates(study: Study) -> list[RenderableType]:
    """The paper's table, as far as its dates are in the study."""
    there = study.fitted["date"].dt.strftime("%Y-%m-%d")
    dates = {date: event for date, event in REFERENCE_DATES.items() if date in set(there)}
    if not dates:
        return []
    cases = _records(statistics.reference_dates(study, dates))
    table = plain_table()
    table.add_column("date")
    table.add_column("event")
    for title in ("RMSRE", "EDoF", "max leverage", "max influence", "largest residual"):
        table.add_column(title, justify="right")
    for case in cases:
        table.add_row(
            str(case["date"].date()),
            case["event"],
            f"{case['rmsre']:.2%}",
            f"{case['edof']:.0f}",
            f"{case['largest_leverage']:.2f} ({case['largest_leverage_at']})",
            f"{case['largest_influence']:.2g} ({case['largest_influence_at']})",
            f"{case['largest_residual']:+.1%} ({case['largest_residual_at']})",
        )
    summaries = [Text.assemble((f"{c['date'].date()} ", "bold"), c["summary"]) for c in cases]
    return [heading("Reference dates"), table, Text(), *summaries]


def _leverage(study: Study) -> RenderableType:
    table = plain_table()
    table.add_column("")
    table.add_column("leverage\n(median)", justify="right")
    table.add_column("", width=BAR)
    table.add_column(f"days above\n{NEAR_ONE:g}", justify="right")
    profile = statistics.leverage_by_maturity(study, thresholds=(NEAR_ONE,))
    for row in _records(profile):
        share = row[f"share_above_{NEAR_ONE:g}"]
        table.add_row(
            label(row["maturity"]), f"{row['median']:.2f}", bar(row["median"], BAR), f"{share:.0%}"
        )
    return Group(heading("Which quotes decide the fit?"), table)


def _edof(study: Study) -> RenderableType:
    levels = statistics.edof_levels(study)
    shares = levels.pivot(index="variant", columns="level", values="share").fillna(0.0)
    table = plain_table()
    table.add_column("EDoF")
    for level in LEVELS:
        table.add_column(str(level), justify="right")
    for variant, words in VARIANTS.items():
        row: Mapping[Any, float] = shares.loc[variant].to_dict()
        table.add_row(words, *(f"{row.get(level, 0.0):.0%}" for level in LEVELS))
    switches = statistics.edof_switches(study)
    total = int(switches["switches"].sum())
    text = f"Switches: {total:,}"
    if total:
        most = switches.loc[switches["switches"].idxmax()]
        text += f", most in {most['quarter']} ({most['switches']})"
    return Group(heading("How much do they determine?"), table, Text(f"{text}.", style="dim"))


def _bounds(study: Study) -> RenderableType:
    active = statistics.active_constraints(study)
    active = active[active["exact"] > 0].sort_values("exact", ascending=False)
    table = plain_table(has_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    for row in _records(active):
        share = "below 0.1%" if row["exact"] < 0.001 else f"{row['exact']:.1%}"
        table.add_row(f"{row['parameter']} = {row['bound']:g}", f"{share} of days")
    return Group(heading("Which bounds hold parameters?"), table if len(active) else Text("none"))


def _ratings(study: Study) -> list[RenderableType]:
    ratings = study.rag
    counts = ratings["rag"].value_counts()
    summary = Text()
    for rag, colour in COLOURS.items():
        summary.append(f"{counts.get(rag.value, 0):,} {rag.value}  ", style=colour)
    red = ratings[(ratings["rag"] == "red") & study.days["rmsre"].notna()]
    summary.append(f"({len(ratings) - len(study.fitted):,} without results among the red)")
    lines = [_red_day(study, row["date"], row["reasons"]) for row in _records(red.tail(RED_DAYS))]
    if len(red) > RED_DAYS:
        lines.append(Text(f"and {len(red) - RED_DAYS:,} more: study.rag, study.challenger_fits"))
    return [heading("Which days need review?"), summary, *lines]


def _red_day(study: Study, date: pd.Timestamp, reasons: str) -> Text:
    """Why it is red, and what the parameter that moves most would be without the doubted quote."""
    text = Text.assemble((f"{date.date()} ", "bold"), f"{reasons}.")
    looks = study.challenger_fits
    for look in _records(looks[(looks["date"] == date) & (looks["variant"] == "without")]):
        name = look["largest_shift_of"]
        before = study.estimates.loc[date, name]
        without = label(look["maturity"])
        text.append(f" Without {without}, {name} goes from {before:.3g} to {look[name]:.3g}.")
    return text


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return list(frame.to_dict("records"))
