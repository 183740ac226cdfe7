"""What would fill the memory, never end or end the process is refused, and the message says why."""

import os
import re
import zipfile
import zlib
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

import calibscope as cs
from calibscope.base.errors import LONGEST, InputError, SettingsError
from calibscope.cli.check import is_store
from calibscope.market.errors import MarketDataError
from calibscope.market.limits import MOST_CELLS, MOST_COLUMNS
from calibscope.market.maturity import maturity
from calibscope.market.readers import read_panels, workbook, workbook_process
from calibscope.market.settings import FileSettings
from calibscope.study.engines import EngineError, engine_of
from calibscope.study.market_days import unpacked
from calibscope.study.read import market_settings
from calibscope.study.settings import study_settings

CURVE = cs.DiscountCurve.from_zero_rates([1, 10, 30], [0.02, 0.025, 0.03])
YEARS = [3, 5, 7, 10, 15, 20]


def refused(path, **options):
    with pytest.raises(MarketDataError) as error:
        read_panels(path, FileSettings(**options), "caps")
    assert len(str(error.value)) < 20_000
    return str(error.value)


def book_with(path, row, column, value, style=None):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["date", "3Y"])
        sheet.write_row(1, 0, ["2024-06-03", 0.01])
        sheet.write(row, column, value, style and book.add_format({"num_format": style}))
    return path


def repacked(path, part, change):
    """The workbook with one of its parts changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    (name,) = (name for name in parts if name.endswith(part))
    parts[name] = change(parts[name])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_a_stray_cell_is_named(tmp_path):
    path = book_with(tmp_path / "caps.xlsx", 1_048_575, 16_383, 1)
    assert "Its sheets end at XFD1048576; delete the rows" in refused(path)
    path = book_with(tmp_path / "caps.xlsx", 1_048_575, 5, 1)
    assert "there are 6,291,456 cells" in refused(path)
    path = book_with(tmp_path / "caps.xlsx", 70_000, 1, 0.02)  # large, but not too large
    assert "row 70001" in refused(path)


def test_a_date_beyond_all_calendars(tmp_path):
    path = book_with(tmp_path / "caps.xlsx", 1, 0, -1e12, "yyyy-mm-dd")
    assert "cannot be opened as a workbook" in refused(path)


def test_a_workbook_without_sheets(tmp_path):
    path = book_with(tmp_path / "caps.xlsx", 1, 1, 1)
    repacked(path, "workbook.xml", lambda text: re.sub(rb"<sheet [^>]*/>", b"", text))
    assert refused(path) == (
        "caps.xlsx: has no sheets; save it again in Excel, with the numbers on a sheet"
    )


def test_a_workbook_that_takes_too_long(tmp_path, monkeypatch):
    endless = tmp_path / "endless.py"
    endless.write_text("import time; time.sleep(60)", encoding="utf-8")
    monkeypatch.setattr(workbook_process, "__file__", str(endless))
    monkeypatch.setattr(workbook, "PATIENCE", 0.2)
    path = book_with(tmp_path / "caps.xlsx", 1, 1, 1)
    assert "takes longer to open than 0 s" in refused(path)


def test_a_workbook_that_needs_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_MEMORY", 100_000_000)
    path = book_with(tmp_path / "caps.xlsx", 1, 1, 1)
    many = b"<row><c><v>1</v></c></row>" * 3_000_000
    repacked(path, "sheet1.xml", lambda text: text.replace(b"<sheetData>", b"<sheetData>" + many))
    assert "needs more than 0.1 GB to open" in refused(path)


def test_pipes_and_devices_are_not_waited_for(tmp_path):
    pipe, device = tmp_path / "caps.csv", tmp_path / "zero.csv"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        assert not is_store(path)  # without a look into it
        assert "is a pipe or a device; save its content as a file" in refused(path)
        with pytest.raises(InputError, match="is a pipe or a device"):
            market_settings(path)


def test_a_file_with_too_much_of_anything(tmp_path):
    path = tmp_path / "caps.csv"
    path.write_text("date" + ",1Y" * MOST_COLUMNS + "\n", encoding="utf-8")
    assert f"there are {MOST_COLUMNS + 1:,} columns" in refused(path)
    path.write_text("date,1Y\n" + "\n" * MOST_CELLS, encoding="utf-8")
    assert "cells, and up to 5,000,000 are read" in refused(path)
    days = np.datetime64("2010-01-01") + np.arange(3_000)
    rows = "".join(f"{day},{(i + 1) / 100},0.01\n" for i, day in enumerate(days))
    path.write_text(f"date,maturity,price\n{rows}", encoding="utf-8")
    assert "price has 3,000 dates by 3,000 maturities" in refused(path)
    with path.open("wb") as file:
        file.truncate(10**9)
    assert "has 1,000 MB, and files of up to 200 MB" in refused(path)


def test_thousands_of_columns_take_no_minutes(tmp_path):
    path = tmp_path / "caps.csv"
    for names in ("x{}", "{}D", "1Y"):
        header = ",".join(names.format(i + 1) for i in range(16_000))
        path.write_text(f"date,{header}\n2024-06-03{',x' * 16_000}\n", encoding="utf-8")
        refused(path)


def test_parquet_files_that_are_larger_than_they_look(tmp_path):
    path = tmp_path / "caps.parquet"
    zeros = np.zeros(MOST_CELLS, np.int8)
    pq.write_table(pa.table({"date": zeros, "3Y": zeros}), path)
    assert "there are 10,000,000 cells" in refused(path)
    words = pa.DictionaryArray.from_arrays(pa.array(zeros[:20_000]), pa.array(["x" * 1_000_000]))
    pq.write_table(pa.table({"date": words, "3Y": zeros[:20_000]}), path)
    assert "a text of 1,000,000 characters" in refused(path)
    pq.write_table(pa.table({"date": pa.array([2**31 - 1], pa.date32()), "3Y": [0.01]}), path)
    assert "cannot be opened as Parquet (days=2147483647" in refused(path)


def test_messages_stay_short(tmp_path):
    path = tmp_path / "caps.csv"
    path.write_text(f"date,{'x' * 100_000}\n2024-06-03,{'y' * 100_000}\n", encoding="utf-8")
    refused(path)
    error = MarketDataError("x" * 10_000, ["y" * 10_000] * 1_000)
    assert len(str(error)) < 20_000
    assert str(error).endswith("and 980 more")
    assert len(error.problems) == 1_000
    assert len(error.problems[0]) == LONGEST


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("caps.header_row = " + "9" * 5_000, "a whole number has too many digits"),
        ("caps.header_row = 0x" + "f" * 5_000, "a whole number has too many digits"),
        ("caps.units = " + "[" * 5_000, "nested too deeply"),
        (".".join("a" * 5_000) + " = 1", "nested too deeply"),
        ("caps.units.price = {bp = 1}", r"caps.units.price is {'bp': 1}; choose from decimal"),
        ("curve.date_format = '%Y%Y'", "use iso, dmy, mdy, excel"),
        ("caps.encoding = 'punycode'", "use an encoding such as utf-8"),
        ("x" * 2_000_000, "has 2 MB, and files of up to 1 MB are read"),
    ],
)
def test_settings_that_nobody_writes(tmp_path, text, problem):
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    for read in (market_settings, study_settings):
        with pytest.raises(SettingsError, match=problem):
            read(path)
    with pytest.raises(SettingsError):
        market_settings(None, [text])


def test_a_maturity_of_many_digits_is_none():
    assert maturity("9" * 5_000) is None
    assert maturity("1" * 5_000 + "Y") is None


def test_a_tenor_in_another_unit():
    with pytest.raises(MarketDataError, match=r"3e\+09 periods, and up to 2,000"):
        cs.MarketDay.from_arrays(curve=CURVE, maturities=[3], vols=[0.01], tenor=1e-9)


def test_no_engine_is_not_this_machine():
    with pytest.raises(EngineError, match="'' is not an address of a scheduler"):
        list(engine_of("", None).results([], None))


def test_a_stored_day_of_gigabytes():
    bomb = zlib.compress(b" " * 50_000_000)
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="end too early, or do not end"):
        unpacked(bomb)


@pytest.mark.parametrize("solver", ["global", "lm", "newton", "bobyqa"])
@pytest.mark.parametrize("above", [-1e-3, 1e-17, 1e-12])
def test_a_price_without_vega_is_named(solver, above):
    strikes = [0.025, 0.025, 0.005, 0.025, 0.025, 0.025]
    day = cs.MarketDay.from_arrays(
        curve=CURVE, maturities=YEARS, vols=[0.0085] * 6, strikes=strikes
    )
    prices = day.prices.copy()
    prices[2] = day.caplets.intrinsic_values()[2] + above
    with pytest.raises(ValueError, match=r"7Y @0\.5% at 0\.11\d+: the price has no vega"):
        cs.calibrate(replace(day, prices=prices), solver, weights="vega")


def test_weights_beyond_all_numbers():
    day = cs.MarketDay.from_arrays(curve=CURVE, maturities=YEARS, vols=[0.0085] * 6)
    for weights in ([1e300] * 6, [1e-300] * 6, [10**400] * 6, [None] * 6):
        with pytest.raises(ValueError, match="weights are "):
            cs.calibrate(day, weights=weights)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"weights": [1e200] * 3, "jacobian": 1e300}, r"sqrt\(w\) J reaches"),
        ({"jacobian": 1e-160, "hessian": 1.0}, "hessian over J"),
        ({"jacobian": 1.0, "hessian": 1e300, "weights": [1e200] * 3}, "hessian reaches inf"),
        ({"jacobian": "x"}, "jacobian are "),
    ],
)
def test_least_squares_that_overflow(given, problem):
    size = given.pop("jacobian")
    J = [[10**400, 1]] * 3 if size == "x" else size * np.array([[1.0, 0.5], [0.3, 2.0], [1.0, 1.0]])
    if "hessian" in given:
        given["hessian"] = np.full((3, 2, 2), given["hessian"])
    with pytest.raises(ValueError, match=problem):
        cs.diagnose_least_squares([1.0, 2.0, -1.0], J, **given)
