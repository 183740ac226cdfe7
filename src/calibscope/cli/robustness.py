"""`calibscope robustness`: the same days in other ways."""

from pathlib import Path

import click

from calibscope.cli.command import Command
from calibscope.cli.files import FILE, Files, file_options
from calibscope.cli.output import Output, output_options


@click.command(cls=Command)
@file_options
@click.option("--variants", type=FILE, help="TOML: a table per variant.")
@click.option(
    "--sample", type=click.IntRange(min=1), default=250, show_default=True,
    help="How many days, evenly spread.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="All days instead of a sample.")
@click.option("--threads", type=click.IntRange(min=1), help="How many; all cores otherwise.")
@click.option("--store", type=FILE, help="Keep it with a study's results.")
@output_options
def robustness(
    files: Files,
    variants: Path | None,
    sample: int,
    everything: bool,
    threads: int | None,
    store: Path | None,
    output: Output,
) -> None:
    """Calibrate in other ways, and say how far the results move.

    \b
    calibscope robustness examples/caps.csv --curve examples/ois.csv

    Files are given as to `calibscope check`. Without --variants: other starts, BOBYQA and
    Nelder-Mead against the global search, portfolios without the shortest and without the two
    longest maturities of the market, without floors and without quotes off the money, where six
    quotes are left. A file of your own:

    \b
    ["without the short end"]
    without = ["3Y", "4Y", "10Y floor @1%"]
    ["vega weights"]
    weights = "vega"
    """  # noqa: D301
    from calibscope.report.outcomes import robustness_as_data
    from calibscope.report.render.terminal import on_terminal
    from calibscope.report.sections.robustness import robustness_document
    from calibscope.study.errors import StoreError
    from calibscope.study.robustness import keep, variants_of
    from calibscope.study.robustness import robustness as compared

    baseline = files.study_settings()
    market, _ = files.read(output)
    try:
        chosen = None if variants is None else variants_of(variants)
        with output.progress("calibrating") as progress:
            table = compared(
                market, chosen, settings=baseline,
                sample=None if everything else sample, threads=threads,
                progress=lambda variant, done, total: progress(done, total),
            )  # fmt: skip
        if store is not None:
            keep(table, store)
    except (StoreError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    output.show(
        lambda: on_terminal(robustness_document(table, market.name)),
        lambda: robustness_as_data(table, market, store),
    )
