"""Which days are green, amber, red, and why? And is none of them green that should not be?

    python benchmarks/rag.py                  # makes the demo study first, some minutes
    python benchmarks/rag.py --store demo.db  # of `calibscope demo`, or of a run before

Counted are the days of the demo study (synthetic) by colour, and the rules that apply to them: on
how many days each says amber or red, and how many days have their colour from it alone. Then it is
looked for green days with a quote that screening or the refits name, that may be one of several,
that moved unlike its past, or with implausible parameters; there must be none. Last the 3Y price of
2020-03-18 is raised by 10 %, which the fit meets at a leverage of 0.98: that day must not be green.
The exit code is 1 where any of this fails.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.report.sections.study_blocks import rule_table
from calibscope.study.rag import Rag
from calibscope.study.study import Study

DATE, LABEL, SIZE = "2020-03-18", "3Y", 0.10
BEFORE, AFTER = "2019-01-02", "2020-03-25"


def colours(study: Study) -> Table:
    """Days by colour, with and without what has no results."""
    counts = study.rag["rag"].value_counts()
    rated = int(counts.drop("grey", errors="ignore").sum())
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("colour", "days", "of those with results"):
        table.add_column(heading, justify="right")
    for rag in Rag:
        days = int(counts.get(rag.value, 0))
        share = "" if rag is Rag.GREY else f"{days / rated:.1%}"
        table.add_row(rag.value, f"{days:,}", share)
    return table


def rules(study: Study) -> Table:
    """What the report shows under the calendar."""
    found = rule_table(study)
    table = Table(title=found.caption, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in found.columns:
        table.add_column(column.title, justify="right" if column.is_number else "left")
    for row in found.rows:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    return table


def green_failures(study: Study) -> Iterator[tuple[str, int]]:
    """What no green day may have, and how many do."""
    green = study.rag.loc[study.rag["rag"] == "green", "date"]
    fitted = study.fitted[study.fitted["date"].isin(green)]
    verdicts = study.screening[study.screening["date"].isin(green)]
    words = verdicts["verdict"]
    named = words.isin(["likely wrong", "below intrinsic value"])
    yield "a quote that screening names", verdicts.loc[named, "date"].nunique()
    doubted = words.str.startswith("one of ") | words.isin(["unusual day", "stale day"])
    yield "a quote in doubt, an unusual or stale day", verdicts.loc[doubted, "date"].nunique()
    yield "a quote that the refits name", int(fitted["has_outlier"].sum())
    accusing = fitted["summary"].str.contains("is an outlier", regex=False)
    yield "a summary that accuses a quote", int(accusing.sum())
    yield "implausible parameters", int(fitted["is_implausible"].sum())
    yield "warnings on the data", int((fitted["warnings"] != "").sum())


def disagreements(study: Study) -> int:
    """Days on which the summary accuses and the verdict of the refits does not, or vice versa."""
    fitted = study.fitted
    # A summary has two cautions at most: what is accused may give way to graver news.
    said = fitted["summary"].str.contains("is an outlier", regex=False)
    return int((said & ~fitted["has_outlier"]).sum())


def planted(folder: Path) -> tuple[str, str]:
    """Colour and reasons of the day with the wrong quote."""
    market = cs.demo_market().between(BEFORE, AFTER)
    days = []
    for day in market.days:
        if str(day.date) == DATE:
            factors = np.where(np.array(day.labels) == LABEL, 1.0 + SIZE, 1.0)
            day = replace(day, prices=day.prices * factors)
        days.append(day)
    wrong = replace(market, days=tuple(days))
    study = cs.run_study(wrong, folder / "planted.db", profiles="none")
    row = study.rag[study.rag["date"] == DATE].iloc[0]
    return str(row["rag"]), str(row["reasons"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, help="of the demo study; made if not given")
    options = parser.parse_args()
    console = Console(width=130)
    with tempfile.TemporaryDirectory() as folder:
        study = (
            cs.open_study(options.store)
            if options.store
            else cs.run_study(cs.demo_market(), Path(folder, "demo.db"), profiles="none")
        )
        console.print(colours(study), rules(study))
        failures = dict(green_failures(study))
        failures["a summary that accuses without the refits, any colour"] = disagreements(study)
        for what, count in failures.items():
            console.print(f"green days with {what}: {count}" if "colour" not in what else
                          f"days with {what}: {count}")  # fmt: skip
        rag, reasons = planted(Path(folder))
    console.print(f"\n{LABEL} of {DATE} {SIZE:.0%} too high: {rag}. {reasons}")
    is_sound = not any(failures.values()) and rag != "green"
    console.print("all is as it must be" if is_sound else "[bold]NOT as it must be[/]")
    sys.exit(0 if is_sound else 1)


if __name__ == "__main__":
    main()
