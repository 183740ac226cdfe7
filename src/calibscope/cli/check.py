"""`calibscope check`: what is wrong with a user's files."""

from pathlib import Path

import click

from calibscope.cli.files import file_options, read
from calibscope.cli.terminal import SECOND_LOOK, show


@click.command()
@file_options
@click.option("--all", "everything", is_flag=True, help="List every finding, not only examples.")
@click.pass_context
def check(
    context: click.Context,
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
    everything: bool,
) -> None:
    """Read cap quotes and curves, and say what is wrong with them.

    CAPS is a CSV, Excel or Parquet file: long (date, maturity, quantity, value), tidy (date,
    maturity, price, strike, ...), wide (date, 3Y, 4Y, ...) or side-by-side blocks. Without
    --curve, CAPS holds the curves too.

    \b
    calibscope check caps.csv --curve ois.csv
    calibscope check vols.xlsx --curve ois.xlsx --set caps.quantity=normal_vol
        --set caps.units.normal_vol=bp

    Exit code: 0 clean, 1 unusable, 2 wrong usage, 3 usable with warnings or dropped days.
    """  # noqa: D301
    from calibscope.report.check import checked_market

    market, chosen = read(caps, curve, strikes, settings, changes)
    show(checked_market(market, chosen, everything))
    context.exit(SECOND_LOOK if market.dropped or market.warnings else 0)
