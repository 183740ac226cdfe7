"""`calibscope export`: a study for other tools."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibscope.cli.terminal import STOPPED

if TYPE_CHECKING:
    from calibscope.report.export.export import Format


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="An .xlsx file: Excel.")
@click.option("--parquet", type=click.Path(path_type=Path), help="A folder for Parquet files.")
@click.option("--csv", type=click.Path(path_type=Path), help="A folder for CSV files.")
@click.pass_context
def export(
    context: click.Context,
    store: Path,
    output: Path | None,
    parquet: Path | None,
    csv: Path | None,
) -> None:
    """Write a study for Excel, R or any other tool.

    \b
    calibscope export study.db -o results.xlsx
    calibscope export study.db --parquet results
    calibscope export study.db --csv results

    STORE is what `calibscope run` made. One sheet or file per table, with dates as dates, units in
    the headers, a table `columns` that says what each one means, and a manifest: versions,
    settings, hashes, counts. An earlier export is replaced; anything else that is there already is
    left alone.

    Exit code: 0 written, 1 not possible, 2 wrong usage, 130 stopped by Ctrl-C.
    """  # noqa: D301
    places: dict[Format, Path | None] = {"xlsx": output, "parquet": parquet, "csv": csv}
    given = [(kind, place) for kind, place in places.items() if place is not None]
    if len(given) != 1:
        raise click.UsageError("say where to: -o results.xlsx, --parquet DIR or --csv DIR")
    from calibscope.report.export.export import export as written
    from calibscope.report.export.target import ExportError
    from calibscope.report.progress import progress_bar
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    ((kind, place),) = given
    try:
        with progress_bar("exporting") as progress:
            study = open_study(store)
            result = written(study, place, kind, progress=progress)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        click.echo("Stopped: nothing was written.", err=True)
        context.exit(STOPPED)
    replaced = ", in place of the earlier export" if result.has_replaced else ""
    synthetic = "SYNTHETIC data. " if study.is_synthetic else ""
    rows = sum(result.rows.values())
    click.echo(f"{synthetic}{place}: {len(result.rows)} tables, {rows:,} rows{replaced}")
