"""`calibscope check`: what is wrong with a user's files."""

from pathlib import Path

import click

from calibscope.cli.command import TO_REVIEW, Command
from calibscope.cli.files import FILE, Files, file_options
from calibscope.cli.output import Output, output_options


@click.command(cls=Command)
@file_options
@click.option(
    "--date", metavar="DATE", help="Of a study: what moved when this date was computed anew."
)
@click.option("--model", help="With --date, of a study with several models: which one.")
@click.option("--all", "everything", is_flag=True, help="List every finding, not only examples.")
@click.option("--html", type=FILE, help="Write a page to this file instead.")
@output_options
@click.pass_context
def check(
    context: click.Context,
    files: Files,
    date: str | None,
    model: str | None,
    everything: bool,
    html: Path | None,
    output: Output,
) -> None:
    """Read cap quotes and curves, and say what is wrong with them.

    \b
    calibscope check caps.csv --curve ois.csv
    calibscope check caps.csv --curve ois.csv --html check.html
    calibscope check vols.xlsx --curve ois.xlsx --set caps.quantity=normal_vol
        --set caps.units.normal_vol=bp

    CAPS is a CSV, Excel or Parquet file: long (date, maturity, quantity, value), tidy (date,
    maturity, price, strike, ...), wide (date, 3Y, 4Y, ...) or side-by-side blocks. Without
    --curve, CAPS holds the curves too.

    \b
    calibscope check study.db
    calibscope check study.db --date 2020-03-18

    The file of a study is checked against the hashes of what was written: which days are damaged?
    With a date, two results of it are compared: a quote was restated, and what moved?
    """  # noqa: D301
    from calibscope.report.outcomes import check_as_data
    from calibscope.report.sections.check import check_document

    if is_store(files.caps) and date is not None:
        _show_restated(files.caps, date, model, html, output)
        context.exit(0)
    if model is not None:
        raise click.UsageError("--model goes with --date, which is for a study")
    if date is not None:
        raise click.UsageError("--date is for a study; calibscope day shows a day of files")
    if is_store(files.caps):
        context.exit(TO_REVIEW if _check_store(files.caps, html, output) else 0)
    market, chosen = files.read(output)
    output.show_document(
        lambda: check_document(market, chosen.conventions, everything),
        lambda: check_as_data(market),
        html,
    )
    context.exit(TO_REVIEW if market.dropped or market.warnings else 0)


def is_store(path: Path) -> bool:
    """Whether this is meant to be the file of a study, also if its first bytes are damaged."""
    from calibscope.study.database import is_database

    if path.exists() and not path.is_file():  # a pipe would make us wait
        return False
    if path.suffix.lower() == ".db":
        return True
    try:
        return is_database(path)
    except OSError:  # reading it as quotes says why
        return False


def _show_restated(
    path: Path, date: str, model: str | None, html: Path | None, output: Output
) -> None:
    """What moved between the last two runs that computed a date."""
    from calibscope.report.outcomes import restated_as_data
    from calibscope.report.sections.restated import restated_document
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    try:
        study = open_study(path, model)
        found = study.restated(date)
    except StoreError as error:
        raise click.ClickException(str(error)) from None
    output.show_document(
        lambda: restated_document(found, study.is_synthetic),
        lambda: restated_as_data(found),
        html,
    )


def _check_store(path: Path, html: Path | None, output: Output) -> bool:
    """Say what is damaged; whether anything is."""
    from calibscope.report.outcomes import store_as_data
    from calibscope.report.sections.check_store import store_document
    from calibscope.study.errors import StoreError
    from calibscope.study.store import inspected

    try:
        days, damage = inspected(path)
    except StoreError as error:
        raise click.ClickException(str(error)) from None
    output.show_document(
        lambda: store_document(path, days, damage),
        lambda: store_as_data(path, days, damage),
        html,
    )
    return bool(damage)
