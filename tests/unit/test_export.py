"""Exports hold what the store holds, as the types they are, and nothing runs when they are opened.

The study is that of the example files, under names that a spreadsheet could take for formulas,
with a few values changed in the store that the examples do not have.
"""

import ast
import datetime
import errno
import json
import math
import re
import shutil
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from xlsxwriter.worksheet import Worksheet

import calibscope as cs
from calibscope.models.g2.parameters import SPECS
from calibscope.report.colours import RAGS
from calibscope.report.export import cells as cells_of_excel
from calibscope.report.export import excel, folder, results_sheet, target
from calibscope.report.export.columns import Kind, header
from calibscope.report.export.dictionary import dictionary
from calibscope.report.export.tables import FRAMES, USUAL
from calibscope.study import schema
from calibscope.study.robustness_rows import EDOF_COLUMNS, MOVE, edof_columns
from calibscope.study.store import opened_for_writing
from sealing import seal_again

EXAMPLES = Path(__file__).parents[2] / "examples"
SHEET = "xl/worksheets/sheet4.xml"  # quotes
DICTIONARY = dictionary(SPECS)
CHANCE = np.random.default_rng(20)
RISKY = [
    "=1+1", "+1+1", "-1+1", "@SUM(1,1)", "\t=1+1", "\r=1+1", ' =HYPERLINK("http://x","y")',
    "http://example.com", "<r><t>markup</t></r>", "a \x01 b _x0041_ \ufffe",
    'a "b", c\nd', "ünï 漢",
]  # fmt: skip
READINGS = dict(enumerate(RISKY, start=1))
# openpyxl leaves Excel's escapes as they are, and no XML can hold U+FFFE.
AS_READ = {
    "\r=1+1": "_x000D_=1+1",
    "a \x01 b _x0041_ \ufffe": "a _x0001_ b _x005F_x0041_ \ufffd",
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    for old, new in (("caps.csv", "=caps.csv"), ("ois.csv", "@ois.csv")):
        shutil.copy(EXAMPLES / old, place / new)
    complete = {"checks": {"incomplete": "drop"}}
    market = cs.read_market(place / "=caps.csv", place / "@ois.csv", settings=complete)
    inputs = [place / "=caps.csv", place / "@ois.csv"]
    cs.run_study(market, place / "study.db", {"calibration": {"solver": "lm"}}, inputs=inputs)
    study = cs.run_study(market.between("2020-04-01", "2020-04-30"), place / "study.db")
    with closing(sqlite3.connect(study.path)) as store, store:
        ids = study.days["day_id"].tolist()
        for number, text in READINGS.items():
            store.execute("UPDATE days SET summary = ? WHERE day_id = ?", (text, ids[number]))
        store.execute("UPDATE days SET condition_number = 9e999 WHERE day_id = ?", (ids[1],))
        store.execute("UPDATE days SET condition_number = -9e999 WHERE day_id = ?", (ids[2],))
        store.execute("UPDATE days SET edof_tikhonov = NULL WHERE day_id = ?", (ids[1],))
    seal_again(study.path)
    return cs.open_study(study.path)


@pytest.fixture(scope="module")
def place(study, tmp_path_factory):
    """All three formats."""
    place = tmp_path_factory.mktemp("exports")
    cs.export(study, place / "results.xlsx", all_tables=True)
    cs.export(study, place / "parquet", format="parquet")
    cs.export(study, place / "csv", format="csv")
    return place


@pytest.fixture(scope="module")
def workbook(place):
    return openpyxl.load_workbook(place / "results.xlsx")


def frames(study):
    """What the study says, by table, without the tables that are left out."""
    every = {name: of(study) for name, of in FRAMES.items()}
    return {name: frame for name, frame in every.items() if len(frame) or name == "superseded"}


def is_missing(value):
    return value is None or value is pd.NA or value is pd.NaT or value != value


def same(found, expected, kind):
    if is_missing(expected) or expected == "":
        return found is None or found == ""
    if kind is Kind.DATE:
        return pd.Timestamp(found) == pd.Timestamp(expected)
    if kind is Kind.MOMENT:
        # openpyxl rounds to milliseconds
        expected = pd.Timestamp(expected).tz_localize(None)
        return abs(pd.Timestamp(found).tz_localize(None) - expected) < pd.Timedelta("1ms")
    if kind is Kind.NUMBER:
        return float(found) == expected
    if kind is Kind.FLAG:
        return found is bool(expected)
    return found == expected


def cells(frame):
    """A few cells of each column, at random."""
    for column in frame:
        for row in CHANCE.choice(len(frame), min(len(frame), 20), replace=False):
            yield int(row), column, frame[column].iloc[row]


def test_every_column_of_the_schema_is_described():
    inner = {"store", "market_days", "day_hashes", "row_hashes", "further_fits", "robustness_moves"}
    tables = set(schema.metadata.tables) - inner
    with_parameters = {"optima", "challenger_fits", "left_out"}
    for table in tables:
        stored = set(schema.metadata.tables[table].columns.keys())
        stored -= {"place"}  # the order of the rows
        if table == "intervals":
            stored |= {"is_contradicted"}  # by the profiles of the day
        if table in ("influence", "left_out"):
            stored |= {"maturity"}  # of the quote
        if table == "metrics":
            stored |= {"unit"}  # of the metric
        if table in with_parameters:
            stored |= set(SPECS.names)
        if table == "robustness":
            stored = {name for name in stored if name not in EDOF_COLUMNS}
            stored |= {*edof_columns(5), *(f"{MOVE}{name}" for name in SPECS.names)}
        if table not in (
            "days",
            "runs",
            "robustness",
            "threshold_changes",
        ):  # their rows have the date instead
            stored = stored - {"day_id"} | {"date"}
        assert set(DICTIONARY[table].columns) == stored
    for name, description in DICTIONARY.items():
        for column, what in description.columns.items():
            assert what.meaning, (name, column)
            is_measured = what.kind in (Kind.NUMBER, Kind.MOMENT)
            assert bool(what.unit) or not is_measured, (name, column)


def test_every_table_has_the_columns_that_are_described(study):
    for name, frame in frames(study).items():
        assert set(frame.columns) == set(DICTIONARY[name].columns), name
    assert set(FRAMES) | {"columns"} == set(DICTIONARY)


def test_parquet_holds_the_store_exactly_with_types_and_units(study, place):
    types = {
        "text": "string", "true or false": "bool", "integer": "int64", "number": "double",
        "date": "date32[day]", "date and time, UTC": "timestamp[us, tz=UTC]",
    }  # fmt: skip
    for name, frame in frames(study).items():
        table = pq.read_table(place / "parquet" / f"{name}.parquet")
        assert table.num_rows == len(frame)
        described = DICTIONARY[name].columns
        for field in table.schema:
            column = described[field.name]
            assert str(field.type) == types[column.kind.value]
            assert field.metadata[b"unit"].decode() == column.unit
            assert field.metadata[b"meaning"]
        for row, column, expected in cells(frame):
            found = table[column][row].as_py()
            assert same(found, expected, described[column].kind), (name, row, column)
    assert pq.read_table(place / "parquet" / "days.parquet").column_names[0] == "date"


def test_excel_holds_the_store(study, workbook):
    for name, frame in frames(study).items():
        rows = list(workbook[name].iter_rows(min_row=2, values_only=True))
        described = DICTIONARY[name].columns
        assert len(rows) == len(frame) + 1
        for row, column, expected in cells(frame):
            what = described[column]
            found = rows[row + 1][rows[0].index(header(column, what.unit))]
            if what.kind is Kind.NUMBER and math.isinf(expected):
                assert found == str(expected)
            elif what.kind is Kind.NUMBER and not is_missing(expected):
                assert found == pytest.approx(expected, rel=6e-16, abs=0)  # 16 digits, rounded
            elif column != "summary":
                assert same(found, expected, what.kind), (name, row, column)


def test_csv_holds_the_store_exactly(study, place):
    for name, frame in frames(study).items():
        described = DICTIONARY[name].columns
        # pandas may miss the last digits of numbers; Python does not
        numbers = [
            header(c, what.unit) for c, what in described.items() if what.kind is Kind.NUMBER
        ]
        file = place / "csv" / f"{name}.csv"
        found = pd.read_csv(file, engine="python", dtype=dict.fromkeys(numbers, str))
        assert len(found) == len(frame)
        for row, column, expected in cells(frame):
            what = described[column]
            value = found[header(column, what.unit)].iloc[row]
            if column == "summary":
                continue
            if what.kind is Kind.FLAG and not is_missing(expected):
                assert value in (expected, str(expected))
            elif is_missing(expected) or expected == "":
                assert is_missing(value)
            elif what.kind is Kind.TEXT:
                assert str(value).lstrip("'") == expected
            else:
                assert same(value, expected, what.kind), (name, row, column)


def test_text_is_never_a_formula_or_a_link_in_excel(study, workbook):
    sheet = workbook["days"]
    names = [cell.value for cell in sheet[2]]
    place = names.index("summary")
    for number, text in READINGS.items():
        cell = sheet[number + 3][place]
        assert cell.data_type == "s", text
        assert cell.hyperlink is None
        assert cell.quotePrefix == (text.strip()[:1] in tuple("=+-@"))
        assert cell.value == AS_READ.get(text, text)
    assert all(
        cell.data_type != "f" for sheet in workbook for row in sheet.iter_rows() for cell in row
    )
    market = [cell.value for cell in workbook["runs"][2]].index("market")
    assert workbook["runs"][3][market].value == study.runs["market"].iloc[0]
    assert study.runs["market"].iloc[0].startswith("=caps.csv")


def test_only_what_xlsxwriter_documents_is_used():
    """Methods of its classes; what it keeps in instances, or begins with _, may change."""
    classes = {"sheet": Worksheet, "workbook": xlsxwriter.Workbook}
    texts = [
        Path(part.__file__).read_text(encoding="utf-8")
        for part in (excel, cells_of_excel, results_sheet)
    ]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    used = {(ast.unparse(n.value), n.attr) for n in nodes if isinstance(n, ast.Attribute)}
    assert ("sheet", "write_number") in used
    for name, attribute in used:
        assert not attribute.startswith("_"), attribute
        if name in classes:
            assert callable(getattr(classes[name], attribute, None)), attribute


def test_cells_of_strange_values(tmp_path):
    values = pa.chunked_array([[1.5, math.nan, None, -math.inf]])
    texts = ["<r> & <b></r>", "", "<r>", None]
    with xlsxwriter.Workbook(tmp_path / "s.xlsx", {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        columns = [
            (cells_of_excel.number_writer(book, sheet, "0"), values),
            (cells_of_excel.text_writer(book, sheet), pa.chunked_array([texts])),
        ]
        assert list(cells_of_excel.write_rows(0, columns)) == [4]
    found = list(openpyxl.load_workbook(tmp_path / "s.xlsx").active.iter_rows(values_only=True))
    assert found == [
        (1.5, "<r> & <b></r>"), (None, None), (None, "<r>"), ("-inf", None)
    ]  # fmt: skip


def test_text_is_never_a_formula_in_csv_and_numbers_stay_numbers(study, place):
    found = pd.read_csv(place / "csv" / "days.csv", keep_default_na=False, lineterminator="\n")
    for number, text in READINGS.items():
        is_risky = text.strip()[:1] in tuple("=+-@") or text[0] in "\t\r\n"
        assert found["summary"].iloc[number] == ("'" + text if is_risky else text)
    residuals = pyarrow.csv.read_csv(place / "csv" / "quotes.csv")["residual [relative]"]
    assert residuals.type == pa.float64()
    assert min(residuals.to_pylist()) < 0
    for file in (place / "csv").glob("*.csv"):
        for values in pyarrow.csv.read_csv(
            file, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True)
        ).columns:
            if values.type == pa.string():
                assert not [
                    text for text in values.to_pylist() if re.match(r"\s*[=+\-@]", text or "")
                ]


def test_missing_is_blank_and_infinite_is_a_word(study, workbook, place):
    days = list(workbook["days"].iter_rows(min_row=2, values_only=True))
    at = days[0].index
    assert days[2][at("condition_number [1]")] == "inf"
    assert days[3][at("condition_number [1]")] == "-inf"
    assert days[2][at("edof_tikhonov [1]")] is None
    lost = study.days["rmsre"].isna().to_numpy().nonzero()[0]
    assert len(lost) == 1
    row = days[lost[0] + 1]
    assert row[at("rmsre [relative]")] is None
    assert row[at("has_outlier")] is None
    assert "price is missing at 8Y" in row[at("reason")]
    table = pq.read_table(place / "parquet" / "days.parquet")
    assert table["condition_number"][1].as_py() == math.inf
    assert table["has_outlier"][int(lost[0])].as_py() is None


def test_sheets_are_laid_out_for_reading(study, workbook, place):
    assert workbook.sheetnames[:3] == ["results", "days", "rag"]
    assert workbook.sheetnames[-2:] == ["columns", "manifest"]
    assert not {"optima", "store"} & set(workbook.sheetnames)
    sheet = workbook["quotes"]
    assert sheet["A1"].value == "quotes: one row per date and quote"
    assert [cell.value for cell in sheet[2]][:8] == [
        "date", "label", "kind", "maturity [years]", "expiry [years]", "strike [1/year]",
        "is_interpolated", "weight [1/price^2]",
    ]  # fmt: skip
    assert sheet.freeze_panes == "B3"
    assert sheet.auto_filter.ref == f"A2:R{len(study.quotes) + 2}"
    with zipfile.ZipFile(place / "results.xlsx") as archive:  # what readers go by
        assert f'<dimension ref="A1:R{len(study.quotes) + 2}"/>' in archive.read(SHEET).decode()
    assert sheet["A3"].is_date
    assert sheet["A3"].number_format == "yyyy-mm-dd"
    assert sheet["K3"].number_format == "0.00 %"
    assert sheet.column_dimensions["A"].width >= 11
    assert len(workbook["superseded"]["A"]) == 2 + len(study.superseded) > 10


def test_the_manifest_says_what_it_is_and_how_it_was_made(study, workbook, place):
    for form in ("parquet", "csv"):
        content = json.loads((place / form / "manifest.json").read_text(encoding="utf-8"))
        assert content["data"] == "as given in the files of the runs"
        assert content["study"] == "study.db"
        assert content["calibscope"] == cs.__version__
        assert content["counts"]["days"] == len(study.days)
        assert content["counts"]["superseded"] == len(study.superseded)
        assert content["last_run"]["settings_hash"] == study.settings.results_hash
        assert content["tables"]["quotes"]["columns"]["leverage"]["unit"] == "1"
        files = {table["file"] for table in content["tables"].values()} | {"manifest.json"}
        assert {path.name for path in (place / form).iterdir()} == files
    facts = dict(workbook["manifest"].iter_rows(values_only=True))
    assert facts["counts.days"] == len(study.days)
    assert facts["last_run.settings.calibration.solver"] == "global"
    assert facts["last_run.market"].startswith("=caps.csv")
    meanings = {row[:2]: row[4] for row in workbook["columns"].iter_rows(values_only=True)}
    assert "above 2 times the scale mad" in meanings["days", "has_masking"]
    assert str(study.path.parent) not in (place / "csv" / "manifest.json").read_text()


def test_synthetic_data_says_so_everywhere(tmp_path):
    days = cs.demo_market().between("2020-03-16", "2020-03-18")
    study = cs.run_study(days, tmp_path / "study.db")
    cs.export(study, tmp_path / "results.xlsx")
    workbook = openpyxl.load_workbook(tmp_path / "results.xlsx")
    for sheet in workbook:
        assert sheet["A1"].value.startswith("SYNTHETIC ")
        assert sheet.oddHeader.left.text.startswith("SYNTHETIC ")
    assert dict(workbook["manifest"].iter_rows(values_only=True))["data"].startswith("SYNTHETIC")
    done = cs.export(study, tmp_path / "parquet", format="parquet")
    for file in done.path.glob("*.parquet"):
        assert b'"data": "SYNTHETIC' in pq.read_schema(file).metadata[b"calibscope export"]
    content = json.loads((done.path / "manifest.json").read_text(encoding="utf-8"))
    assert content["data"].startswith("SYNTHETIC")


def test_a_study_without_days(tmp_path):
    with opened_for_writing(tmp_path / "study.db"):
        pass
    study = cs.open_study(tmp_path / "study.db")
    done = cs.export(study, tmp_path / "results.xlsx")
    assert done.rows["days"] == 0
    workbook = openpyxl.load_workbook(tmp_path / "results.xlsx")
    assert workbook["days"]["A2"].value == "date"
    assert dict(workbook["manifest"].iter_rows(values_only=True))["counts.days"] == 0
    cs.export(study, tmp_path / "csv", format="csv")
    cs.export(study, tmp_path / "parquet", format="parquet")
    runs = pq.read_schema(tmp_path / "parquet" / "runs.parquet")
    assert runs.field("started").type == pa.timestamp("us", "UTC")
    assert pq.read_schema(tmp_path / "parquet" / "days.parquet").field("date").type == pa.date32()


def test_an_export_replaces_an_earlier_one_and_nothing_else(study, tmp_path):
    place = tmp_path / "results"
    assert not cs.export(study, place, format="csv").has_replaced
    (place / "notes.txt").write_text("mine")
    assert cs.export(study, place, format="parquet").has_replaced
    assert not list(place.glob("*.csv"))
    assert (place / "days.parquet").is_file()
    assert (place / "notes.txt").read_text() == "mine"
    assert not list(place.glob(".*"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "manifest.json").write_text('{"format": "another"}')
    with pytest.raises(cs.ExportError, match="holds something else than an export"):
        cs.export(study, tmp_path / "mine", format="csv")
    (tmp_path / "empty").mkdir()
    cs.export(study, tmp_path / "empty", format="parquet")
    with pytest.raises(cs.ExportError, match="is a file"):
        cs.export(study, place / "notes.txt", format="csv")


def test_a_workbook_replaces_an_earlier_one_and_nothing_else(study, tmp_path):
    file = tmp_path / "results.xlsx"
    assert not cs.export(study, file).has_replaced
    assert cs.export(study, file).has_replaced
    openpyxl.Workbook().save(tmp_path / "mine.xlsx")
    (tmp_path / "text.xlsx").write_text("mine")
    for name in ("mine.xlsx", "text.xlsx"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(cs.ExportError, match="is not an export of a study, so it is not ov"):
            cs.export(study, tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"results.xlsx", "mine.xlsx", "text.xlsx"}


@pytest.mark.parametrize(("name", "format"), [("results.xlsx", None), ("results", "parquet")])
def test_nothing_half_written_remains(study, tmp_path, monkeypatch, name, format):  # noqa: A002
    def fill(done, total):
        if total > 100:  # rows are being written
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(cs.ExportError, match="the disk is full; free some space"):
        cs.export(study, tmp_path / name, format, progress=fill)
    assert not list(tmp_path.iterdir())
    cs.export(study, tmp_path / name, format)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(cs.ExportError, match="the disk is full; free some space"):
        cs.export(study, tmp_path / name, format, progress=fill)
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(cs.ExportError, match="there is no folder"):
        cs.export(study, tmp_path / "none" / name, format)


def test_a_place_that_may_not_be_written_is_named(study, tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(target, "work_folder", refuse)
    with pytest.raises(cs.ExportError, match=r"results.xlsx: cannot be written; give write access"):
        cs.export(study, tmp_path / "results.xlsx")


def test_a_table_that_is_too_long_for_excel_is_sent_to_parquet(study, tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "ROWS", len(study.influence) + 1)
    with pytest.raises(cs.ExportError, match=r"influence \(\d,\d+ rows\).*export to Parquet"):
        cs.export(study, tmp_path / "results.xlsx", all_tables=True)
    assert not list(tmp_path.iterdir())


def test_a_text_that_is_too_long_for_a_cell_says_that_it_was_cut():
    assert cells_of_excel.readable("x" * cells_of_excel.LONGEST) == "x" * cells_of_excel.LONGEST
    cut = cells_of_excel.readable("\U0001f600" * cells_of_excel.LONGEST)
    assert len(cut.encode("utf-16-le")) // 2 <= cells_of_excel.LONGEST
    assert cut.endswith("(cut here, too long for a cell)")


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("results", None, "name an .xlsx file, or give a folder with format="),
        ("results.xlsx", "csv", "only a workbook, xlsx, ends in .xlsx"),
        ("results", "xlsx", "only a workbook, xlsx, ends in .xlsx"),
        ("results", "feather", "choose from xlsx, parquet, csv"),
    ],
)
def test_target_and_format_go_together(study, tmp_path, name, format, message):  # noqa: A002
    with pytest.raises(ValueError, match=message):
        cs.export(study, tmp_path / name, format)


def test_progress_ends_with_all_rows(study, tmp_path):
    for name, form in (("results.xlsx", None), ("results", "csv")):
        seen = []
        done = cs.export(
            study, tmp_path / name, form, progress=lambda *news, seen=seen: seen.append(news)
        )
        assert seen[0] == (1, len(FRAMES if form else USUAL & set(FRAMES)))
        assert seen[-1] == (sum(done.rows.values()),) * 2


def test_the_columns_of_the_r_example_are_there(place):
    """R itself may be missing; the same names are read here, so that the example cannot rot."""
    script = (EXAMPLES / "read_parquet.R").read_text(encoding="utf-8")
    assert len(script.splitlines()) == 10
    files = dict(re.findall(r'(\w+) <- read_parquet\(file\.path\(folder, "([\w.]+)"\)\)', script))
    tables = {name: pd.read_parquet(place / "parquet" / file) for name, file in files.items()}
    used = set(re.findall(r"\b(\w+)\$(\w+)", script))
    assert {name for name, _ in used} == set(tables) == {"days", "quotes", "columns"}
    for name, column in used:
        assert column in tables[name]
    (shown,) = re.findall(r"c\((.*?)\)\]", script)
    assert set(re.findall(r'"(\w+)"', shown)) <= set(tables["columns"])
    assert isinstance(tables["days"]["date"][0], datetime.date)


def test_libreoffice_opens_the_workbook(soffice, study, place, tmp_path):
    """Every sheet as CSV: what LibreOffice understood, formulas as formulas."""
    every_sheet = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    command = [soffice, home, "--headless", "--convert-to", every_sheet, "--outdir", tmp_path]
    result = subprocess.run(
        [*command, place / "results.xlsx"], capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, result.stderr
    for name, frame in frames(study).items():
        found = pd.read_csv(tmp_path / f"results-{name}.csv", header=1)
        assert len(found) == len(frame), name
    days = pd.read_csv(tmp_path / "results-days.csv", header=1, keep_default_na=False)
    assert days["date"].tolist() == [str(date.date()) for date in study.days["date"]]
    assert days["summary"][1] == "=1+1"
    quotes = pd.read_csv(tmp_path / "results-quotes.csv", header=1)
    assert quotes["leverage [1]"].to_numpy() == pytest.approx(
        study.quotes["leverage"].to_numpy(), rel=1e-13
    )  # it writes 15 digits
    manifest = (tmp_path / "results-manifest.csv").read_text(encoding="utf-8")
    assert "last_run.settings_hash" in manifest


def test_the_pattern_of_risky_texts():
    risky = re.compile(folder.RISKY)
    assert all(risky.match(text) for text in ("=1", " =1", "+1", "-1", "@a", "\tx", "\rx", "\nx"))
    assert not any(risky.match(text) for text in ("a=1", "1", "", "3Y", "'=1", " a"))


def test_tables_may_be_left_out(study, tmp_path):
    leave_out = ("influence", "intervals")
    done = cs.export(study, tmp_path / "r.xlsx", all_tables=True, leave_out=leave_out)
    assert "influence" not in done.rows
    assert "quotes" in done.rows
    with pytest.raises(ValueError, match="there is no table 'influences'"):
        cs.export(study, tmp_path / "s.xlsx", leave_out=("influences",))
    assert not (tmp_path / "s.xlsx").exists()


def test_the_first_sheet_is_for_people(study, place, tmp_path):
    done = cs.export(study, tmp_path / "results.xlsx")
    book = openpyxl.load_workbook(tmp_path / "results.xlsx")
    assert book.sheetnames == ["results", *done.rows, "manifest"]
    assert set(done.rows) < set(pq_tables(place))
    small, large = ((folder / "results.xlsx").stat().st_size for folder in (tmp_path, place))
    assert small < large / 4
    sheet = book["results"]
    head = {cell.value: cell.column - 1 for cell in sheet[results_sheet.HEADERS + 1]}
    rows = list(sheet.iter_rows(min_row=results_sheet.FIRST + 1, max_row=sheet.max_row))
    assert [row[0].value for row in rows] == [*study.days["date"]][::-1]
    assert [row[1].value for row in rows] == [*study.rag["rag"]][::-1]
    for row in rows:
        assert row[1].fill.start_color.rgb == f"FF{RAGS[row[1].value][1:]}"
    assert sheet.freeze_panes == f"C{results_sheet.FIRST + 1}"
    assert len(sheet._charts) == 1
    assert [*head][:4] == ["date", "status", "reason", "RMSRE"]
    assert {"95 % low", "95 % high", "plausible fit", "intervals by", "marks"} <= set(head)


def pq_tables(place):
    return [file.stem for file in (place / "parquet").glob("*.parquet")]
