"""`calibscope demo`: the study of the built-in market."""

from pathlib import Path

import click

from calibscope.cli.terminal import show


@click.command()
@click.option(
    "--into", type=click.Path(path_type=Path, file_okay=False), default=Path("calibscope-demo"),
    show_default=True, help="Folder for the results.",
)  # fmt: skip
def demo(into: Path) -> None:
    """Run a whole study on the built-in synthetic market, 2016 to 2025.

    Every day is calibrated, diagnosed and stored. Shown are three reference dates, which quotes
    decide the fit, how much they determine, which bounds hold parameters, and which days need a
    second look; a report (HTML) and a workbook (Excel) are written. A second call finds all days
    in the store and computes nothing.
    """
    from calibscope.report.demo import run_demo
    from calibscope.report.export.target import ExportError
    from calibscope.study.errors import StoreError

    try:
        page = run_demo(into)
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{into}: {error.strerror}; give another folder") from None
    show(page)
