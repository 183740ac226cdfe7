"""`calibscope check`: what is wrong with a user's files."""

import click

from calibscope.cli.command import SECOND_LOOK, Command
from calibscope.cli.files import Files, file_options
from calibscope.cli.output import Output, output_options


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
    """  # noqa: D301
    from calibscope.report.check import checked_market
    from calibscope.report.outcomes import check_as_data

    market, chosen = files.read(output)
    output.show(
        lambda: checked_market(market, chosen, everything), lambda: check_as_data(market)
    )  # fmt: skip
    context.exit(SECOND_LOOK if market.dropped or market.warnings else 0)
