"""`calibscope report`: a study as one HTML file."""

from pathlib import Path

import click


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The file to write.",
)
def report(store: Path, output: Path) -> None:
    """Write the report of a study: one HTML file that works offline.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --store study.db
    calibscope report study.db -o report.html

    For the people who validate the model: traffic lights, the days that need a second look, fit,
    leverage and influence, identifiability, uncertainty, regimes, robustness, settings and hashes.
    """  # noqa: D301
    from calibscope.report.html.write_report import write_report
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    try:
        write_report(open_study(store), output)
    except StoreError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}; give another name") from None
    click.echo(f"Report: {output}")
