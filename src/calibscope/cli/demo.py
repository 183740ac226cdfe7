"""`calibscope demo`: the study of the built-in market."""

from pathlib import Path

import click

from calibscope.cli.command import Command
from calibscope.cli.files import preset_option, profiles_option
from calibscope.cli.output import Output, output_options


@click.command(cls=Command)
@click.option(
    "--into", type=click.Path(path_type=Path, file_okay=False), default=Path("calibscope-demo"),
    show_default=True, help="Folder for the results.",
)  # fmt: skip
@profiles_option("latest")
@preset_option
@click.option("--full", is_flag=True, help="The whole study below the answer on its latest day.")
@output_options
def demo(into: Path, profiles: str, preset: str | None, full: bool, output: Output) -> None:
    """Run a whole study on the built-in synthetic market, 2016 to 2025.

    \b
    calibscope demo
    calibscope demo --into results
    calibscope demo --preset paper --into paper

    Every day is calibrated, diagnosed and stored; a report (HTML) and a workbook (Excel) are
    written. One screen answers whether the calibration of the latest day may be used. --full also
    shows three reference dates, which quotes decide the fit, how much they determine, which bounds
    hold parameters, and which days need review.

    A second call finds all days in the store and computes nothing. Profile intervals of a thousand
    days, as `calibscope run` makes them, take about a minute more: --profiles usual. With the
    paper's preset, whose solver is slower, it takes some fifteen minutes.
    """  # noqa: D301
    from calibscope.report.demo import demo_page, run_demo
    from calibscope.report.export.target import ExportError
    from calibscope.report.outcomes import run_as_data
    from calibscope.study.errors import StoreError

    try:
        made = run_demo(into, output.is_quiet, preset, profiles)
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{into}: {error.strerror}; give another folder") from None
    output.show(
        lambda: demo_page(made, full),
        lambda: {
            **run_as_data(made.market, made.study.path, made.tally, output.seconds),
            "report": made.report,
            "workbook": made.workbook,
        },
    )
