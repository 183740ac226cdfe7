"""`calibscope export`: a study for other tools."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibscope.cli.command import Command
from calibscope.cli.files import FILE
from calibscope.cli.output import Output, output_options

if TYPE_CHECKING:
    from calibscope.report.export.export import Format

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(cls=Command)
@click.argument("store", type=FILE)
@click.option("-o", "--output", "workbook", type=FILE, help="An .xlsx file: Excel.")
@click.option("--parquet", type=FOLDER, help="A folder for Parquet files.")
@click.option("--csv", type=FOLDER, help="A folder for CSV files.")
@click.option("--all", "everything", is_flag=True, help="Every table in the workbook.")
@click.option("--model", help="Of a study with several models, the one that is exported.")
@output_options
def export(
    store: Path,
    workbook: Path | None,
    parquet: Path | None,
    csv: Path | None,
    everything: bool,
    model: str | None,
    output: Output,
) -> None:
    """Write a study for Excel, R or any other tool.

    \b
    calibscope export study.db -o results.xlsx
    calibscope export study.db --parquet results
    calibscope export study.db --csv results

    STORE is what `calibscope run` made. The first sheet of a workbook has every day with its RAG
    status, reason, RMSRE, parameters and intervals, and a chart. Then come the tables that people
    use; --all writes every table, which takes longer and makes a file ten times as large. A folder
    of Parquet or CSV files has every table.

    Dates are dates, and units are in the headers. A table `columns` says what each column means,
    and a manifest has versions, settings, hashes and counts. An earlier export is replaced;
    anything else that is there already is left alone.
    """  # noqa: D301
    places: dict[Format, Path | None] = {"xlsx": workbook, "parquet": parquet, "csv": csv}
    given = [(kind, place) for kind, place in places.items() if place is not None]
    if len(given) != 1:
        raise click.UsageError("say where to: -o results.xlsx, --parquet DIR or --csv DIR")
    from calibscope.base.numbers import counted
    from calibscope.report.export.export import export as written
    from calibscope.report.export.target import ExportError
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    ((kind, place),) = given
    try:
        with output.progress("exporting") as progress:
            study = open_study(store, model)
            result = written(study, place, kind, all_tables=everything, progress=progress)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    replaced = ", in place of the earlier export" if result.has_replaced else ""
    synthetic = "SYNTHETIC data. " if study.is_synthetic else ""
    tables = counted(len(result.rows), "table")
    rows = counted(sum(result.rows.values()), "row")
    more = "; --all writes every table" if kind == "xlsx" and not everything else ""
    output.show(
        lambda: f"{synthetic}{place}: {tables}, {rows}{replaced}{more}",
        lambda: {
            "store": store,
            "is_synthetic": study.is_synthetic,
            "path": place,
            "format": kind,
            "rows": result.rows,
            "has_replaced": result.has_replaced,
        },
    )
