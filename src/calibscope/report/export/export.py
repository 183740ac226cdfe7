"""`cs.export`: a study as an Excel workbook, or as a folder of Parquet or CSV files."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from calibscope.base.spelling import choose_from
from calibscope.report.export.excel import write_excel
from calibscope.report.export.folder import write_folder
from calibscope.report.export.manifest import label_of, manifest
from calibscope.report.export.results_sheet import results_sheet
from calibscope.report.export.tables import tables_of
from calibscope.report.export.target import MANIFEST, is_our_workbook, new_file, new_folder
from calibscope.study.study import Study

Format = Literal["xlsx", "parquet", "csv"]
FORMATS: tuple[str, ...] = get_args(Format)
SUFFIX = ".xlsx"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and where."""

    path: Path
    rows: dict[str, int]  # by table
    has_replaced: bool  # an earlier export


def export(
    study: Study,
    target: str | Path,
    format: Format | None = None,  # noqa: A002
    *,
    all_tables: bool = False,
    leave_out: Collection[str] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Exported:
    """Write a study for other tools.

    A workbook begins with a sheet for people: every day with its RAG status, RMSRE, parameters and
    their intervals, and a chart. The tables that people use follow, and the manifest. A folder has
    every table.

    Parameters
    ----------
    study : to be written
    target : an .xlsx file, or a folder for files, made if there is none. An earlier export is
        replaced; anything else that is there already is refused
    format : "parquet" or "csv" for a folder; a file is a workbook
    all_tables : every table in the workbook, too, which is ten times as large
    leave_out : tables to do without, such as "influence", the longest
    progress : called with how much is done, and of how much: of the tables that are read, then of
        the rows that are written

    Returns
    -------
    Exported
        what was written, and where

    Raises
    ------
    ExportError
        if the target cannot be written, or a table is too long for Excel
    StoreError
        if the study cannot be read
    ValueError
        if target and format do not go together

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from calibscope.market.demo import demo_market
    >>> from calibscope.study.run import run_study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     march = demo_market().between("2020-03-16", "2020-03-20")
    ...     study = run_study(march, f"{folder}/study.db")
    ...     done = export(study, f"{folder}/results", format="parquet")
    ...     pd.read_parquet(done.path / "days.parquet", columns=["date"])["date"].iloc[0]
    datetime.date(2020, 3, 16)
    """
    path = Path(target)
    chosen = _checked(path, format)
    has_replaced = path.is_file() or (path / MANIFEST).is_file()
    goes_to = (
        new_file(path, "an export of a study", is_our_workbook)
        if chosen == "xlsx"
        else new_folder(path)
    )
    with goes_to as place:
        is_usual = chosen == "xlsx" and not all_tables
        tables = tables_of(study, leave_out, progress, is_usual)
        content = manifest(study, tables)
        if chosen == "xlsx":
            results = results_sheet(study, label_of(content))
            write_excel(place, results, tables, content, progress)
        else:
            write_folder(place, chosen, tables, content, progress)
    return Exported(path, {table.name: len(table) for table in tables}, has_replaced)


def _checked(path: Path, format: str | None) -> Format:  # noqa: A002
    is_workbook = path.suffix.lower() == SUFFIX
    if format is None and not is_workbook:
        raise ValueError(
            f"{path}: name an {SUFFIX} file, or give a folder with format='parquet' or 'csv'"
        )
    chosen = format or "xlsx"
    if chosen not in FORMATS:
        raise ValueError(f"format is {format!r}; {choose_from(FORMATS, format)}")
    if (chosen == "xlsx") != is_workbook:
        raise ValueError(f"{path}: format is {chosen!r}; only a workbook, xlsx, ends in {SUFFIX}")
    return chosen  # type: ignore[return-value]
