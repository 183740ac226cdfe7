"""`calibscope report`: a study as one HTML file."""

from pathlib import Path

import click

from calibscope.cli.command import Command
from calibscope.cli.files import FILE
from calibscope.cli.output import Output, output_options


@click.command(cls=Command)
@click.argument("store", type=FILE)
@click.option(
    "-o", "--output", "file", type=FILE, default=Path("report.html"), show_default=True,
    help="The file to write.",
)  # fmt: skip
@click.option("--model", help="Of a study with several models, the one that is reported on.")
@output_options
def report(store: Path, file: Path, model: str | None, output: Output) -> None:
    """Write the report of a study: one HTML file that works offline.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --store study.db
    calibscope report study.db -o report.html

    Five pages for the committee: verdict, assumptions, fit, what decides it, what is identified,
    history, limits, sign-off. An appendix for those who validate the model.
    """  # noqa: D301
    from calibscope.report.export.target import ExportError
    from calibscope.report.html.write_report import write_report
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    try:
        with output.progress("writing the report") as progress:
            study = open_study(store, model)
            write_report(study, file, progress=progress)
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    output.show(
        lambda: f"Report: {file}",
        lambda: {"store": store, "is_synthetic": study.is_synthetic, "path": file},
    )
