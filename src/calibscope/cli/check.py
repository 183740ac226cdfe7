"""`calibscope check`: what is wrong with a user's files."""

from pathlib import Path

import click

from calibscope.cli.command import TO_REVIEW, Command
from calibscope.cli.files import Files, file_options
from calibscope.cli.output import Output, output_options

SQLITE = b"SQLite format 3\x00"  # with which every file of SQLite begins


@click.command(cls=Command)
@file_options
@click.option("--all", "everything", is_flag=True, help="List every finding, not only examples.")
@output_options
@click.pass_context
def check(context: click.Context, files: Files, everything: bool, output: Output) -> None:
    """Read cap quotes and curves, and say what is wrong with them.

    \b
    calibscope check caps.csv --curve ois.csv
    calibscope check vols.xlsx --curve ois.xlsx --set caps.quantity=normal_vol
        --set caps.units.normal_vol=bp

    CAPS is a CSV, Excel or Parquet file: long (date, maturity, quantity, value), tidy (date,
    maturity, price, strike, ...), wide (date, 3Y, 4Y, ...) or side-by-side blocks. Without
    --curve, CAPS holds the curves too.

    \b
    calibscope check study.db

    The file of a study is checked against the hashes of what was written: which days are damaged?
    """  # noqa: D301
    from calibscope.report.check import checked_market
    from calibscope.report.outcomes import check_as_data

    if is_store(files.caps):
        context.exit(TO_REVIEW if _check_store(files.caps, output) else 0)
    market, chosen = files.read(output)
    output.show(
        lambda: checked_market(market, chosen, everything), lambda: check_as_data(market)
    )  # fmt: skip
    context.exit(TO_REVIEW if market.dropped or market.warnings else 0)


def is_store(path: Path) -> bool:
    """Whether this is meant to be the file of a study, also if its first bytes are damaged."""
    if path.exists() and not path.is_file():  # a pipe would make us wait
        return False
    if path.suffix.lower() == ".db":
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:  # reading it as quotes says why
        return False


def _check_store(path: Path, output: Output) -> bool:
    """Say what is damaged; whether anything is."""
    from calibscope.report.check_store import checked_store, store_as_data
    from calibscope.study.errors import StoreError
    from calibscope.study.store import inspected

    try:
        days, damage = inspected(path)
    except StoreError as error:
        raise click.ClickException(str(error)) from None
    output.show(
        lambda: checked_store(path, days, damage), lambda: store_as_data(path, days, damage)
    )
    return bool(damage)
