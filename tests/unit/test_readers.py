"""Cells, headers and files: what readers accept, and what they refuse."""

import datetime
import tomllib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from calibscope.market.errors import MarketDataError
from calibscope.market.maturity import maturity
from calibscope.market.readers import read_panels, workbook_process
from calibscope.market.settings import FileSettings


@pytest.fixture
def read(tmp_path):
    """Read CSV text as caps (or as said)."""

    def read_text(text, role="caps", name="caps.csv", **settings):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
        return read_panels(tmp_path / name, FileSettings(**settings), role)

    return read_text


def days(panel):
    return [str(day) for day in panel.dates]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("3Y", 3), ("3y", 3), ("36M", 3), ("18M", 1.5), ("1Y6M", 1.5), ("1y 6m", 1.5),
        ("13M", 13 / 12), ("1Y1M", 13 / 12), ("1W", 7 / 365), ("2W", 14 / 365), ("1D", 1 / 365),
        ("ON", 1 / 365), ("O/N", 1 / 365), ("3", 3), ("3.0", 3), ("0,5", 0.5), (".25", 0.25),
        ("3 years", 3), ("10J", 10), ("10 Jahre", 10), ("6 Monate", 0.5), ("0.00274", 0.00274),
        ("1.5Y", 1.5), ("0", 0), ("150Y", 150),
    ],
)  # fmt: skip
def test_maturities(text, years):
    assert maturity(text) == years


@pytest.mark.parametrize(
    "text", ["", "Y", "3X", "-3Y", "3Y!", "TN", "2024", "151Y", "1e3", "3Y5", "٣Y", "nan", "3,0,0"]
)
def test_no_maturities(text):
    assert maturity(text) is None


def one_value(read, text, **settings):
    (panel,) = read(f"date;3Y\n2024-06-03;{text}\n", **settings)
    return panel.values[0, 0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.0123", 0.0123), ("0,0123", 0.0123), ("1e-3", 1e-3), ("1,5E-3", 1.5e-3), ("-.5", -0.5),
        ("+2", 2), ("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1,234,567.0", 1234567),
        ("0,123", 0.123), ("1.234", 1.234), ("12", 12), ("3,522", 3.522), ("1.329.861", 1329861),
        ("1,329,861", 1329861),
    ],
)  # fmt: skip
def test_numbers(read, text, value):
    assert one_value(read, text) == value


def test_a_declared_decimal_sign_settles_what_is_ambiguous(read):
    assert one_value(read, "1,234", decimal=",") == 1.234
    assert one_value(read, "1,234", decimal=".") == 1234
    assert one_value(read, "1.234", decimal=",") == 1234


def test_other_cells_settle_the_decimal_sign(read):
    (panel,) = read("date;3Y;4Y\n2024-06-03;1,234;0,5\n")
    assert panel.values.tolist() == [[1.234, 0.5]]
    (panel,) = read("date;3Y;4Y\n2024-06-03;1.234;1.234,5\n")
    assert panel.values.tolist() == [[1234, 1234.5]]
    with pytest.raises(MarketDataError, match="decimal sign"):
        read("date;3Y;4Y\n2024-06-03;1.234;0,5\n")


@pytest.mark.parametrize("delimiter", [",", "\t", "|"])
def test_without_semicolons_a_comma_before_three_digits_is_open(read, delimiter):
    with pytest.raises(MarketDataError, match="is the comma or the point the decimal sign"):
        read(f'date{delimiter}3Y\n2024-06-03{delimiter}"3,522"\n')


def test_semicolons_settle_the_decimal_sign(read):
    (panel,) = read("date;3Y;4Y\n2024-06-03;3,522;n.v.\n", missing="n.v.")
    np.testing.assert_array_equal(panel.values, [[3.522, np.nan]])
    with pytest.raises(MarketDataError, match="decimal sign"):
        read("date;3Y;4Y\n2024-06-03;3,522;0.5\n")


def test_points_between_thousands_settle_the_others(read):
    (panel,) = read("date;3Y;4Y;5Y\n2024-06-03;1.329.861;1.329;12\n")
    assert panel.values.tolist() == [[1329861, 1329, 12]]
    for cells in ("1.329.861;0.5", "0,5;1,329,861"):
        with pytest.raises(MarketDataError, match="decimal sign"):
            read(f"date;3Y;4Y\n2024-06-03;{cells}\n")


def test_the_gap_of_german_excel(read):
    (panel,) = read("Datum;3J;4J\n03.06.2024;0,5;#NV\n")
    np.testing.assert_array_equal(panel.values, [[0.5, np.nan]])


def test_the_delimiter_is_that_of_most_lines(read):
    text = "Caps, EUR, mid\n\nDatum;3J;4J\n03.06.2024;0,5;0,25\n04.06.2024;0,5;0,25\n"
    assert read(text, header_row=3)[0].values.shape == (2, 2)
    with pytest.raises(MarketDataError, match="Set header_row = 3") as caught:
        read(text)
    assert len(caught.value.problems) == 1
    notes = "date,3Y,note\n2024-06-03,1,a;b\n2024-06-04,1,c;d\n"
    assert read(notes, columns={"note": "ignore"})[0].values.tolist() == [[1], [1]]


@pytest.mark.parametrize("text", ["1_000", "٣", "0x1", "1.2.3", "1 234", "1,23.4", "e5", ".", "%"])
def test_no_numbers(read, text):
    with pytest.raises(MarketDataError, match="row 2, column '3Y'"):
        one_value(read, text)


@pytest.mark.parametrize(
    "text",
    [
        "2024-06-03", "2024-6-3", "2024/06/03", "20240603", "03.06.2024", "3.6.2024", "45446",
        "45446.0", "2024-06-03 00:00:00", "2024-06-03T00:00:00Z", "03.06.2024 00:00",
    ],
)  # fmt: skip
def test_dates_with_one_meaning(read, text):
    assert days(read(f"date,3Y\n{text},0.01\n")[0]) == ["2024-06-03"]


@pytest.mark.parametrize(
    ("text", "date_format"),
    [
        ("03/06/2024", "dmy"), ("06/03/2024", "mdy"), ("06-03-2024", "mdy"), ("45446", "excel"),
        ("03.06.24", "%d.%m.%y"), ("3 Jun 2024", "%d %b %Y"), ("20240603", "%Y%m%d"),
        ("2024-06-03", "iso"),
    ],
)  # fmt: skip
def test_dates_with_a_declared_format(read, text, date_format):
    assert days(read(f"date,3Y\n{text},0.01\n", date_format=date_format)[0]) == ["2024-06-03"]


def test_any_date_settles_day_and_month(read):
    assert days(read("date,3Y\n03/06/2024,1\n13/06/2024,2\n")[0]) == ["2024-06-03", "2024-06-13"]
    assert days(read("date,3Y\n06/03/2024,1\n06/13/2024,2\n")[0]) == ["2024-06-03", "2024-06-13"]
    blocks = "date,3Y,,date,4Y\n03/06/2024,1,,13/06/2024,2\n"
    assert days(read(blocks)[0]) == ["2024-06-03", "2024-06-13"]


def test_blocks_are_joined_on_date_not_by_position(read):
    (panel,) = read("Date,3Y,,Date,4Y,5Y\n2024-06-04,1,,2024-06-03,2,3\n,,,2024-06-04,4,#N/A\n")
    np.testing.assert_array_equal(panel.values, [[np.nan, 2, 3], [1, 4, np.nan]])


def test_a_quote_is_given_once_and_a_node_of_a_curve_may_be_given_again(read):
    text = "date,1Y,12M\n2024-06-03,1,1\n2024-06-03,1,1\n"
    (panel,) = read(text, "curve")
    assert panel.values.tolist() == [[1]]
    with pytest.raises(MarketDataError, match="price is 1 in row 2, column '1Y' and again 1 in"):
        read(text)
    (panel,) = read("date,1Y\n2024-06-03,\n2024-06-03,\n2024-06-04,1\n")  # two gaps
    np.testing.assert_array_equal(panel.values, [[np.nan], [1]])


def test_quantities_of_the_other_role_are_left_out(read):
    text = "date,maturity,price,strike,discount_factor\n2024-06-03,3Y,1,2,3\n"
    assert [panel.quantity for panel in read(text)] == ["price", "strike"]
    assert [panel.quantity for panel in read(text, "curve")] == ["discount_factor"]


def test_the_quantity_of_a_wide_file(read, tmp_path):
    text = "date,3Y\n2024-06-03,1\n"
    assert read(text)[0].quantity == "price"
    assert read(text, "curve")[0].quantity == "discount_factor"
    assert read(text, quantity="normal_vol")[0].quantity == "normal_vol"
    assert read(text, name="Strikes.csv")[0].quantity == "strike"
    files = {"bid": tmp_path / "caps.csv", "ask": tmp_path / "caps.csv"}
    panels = read_panels(files, FileSettings(), "caps")
    assert [panel.quantity for panel in panels] == ["bid", "ask"]


def test_a_value_column_needs_a_declared_quantity(read):
    text = "date,maturity,value\n2024-06-03,3Y,1\n"
    assert read(text, quantity="strike")[0].quantity == "strike"
    with pytest.raises(MarketDataError, match="no layout fits"):
        read(text)


def test_files_per_quantity_report_all_their_problems(read, tmp_path):
    with pytest.raises(MarketDataError):
        read("date,3Y\n2024-06-03,x\n")
    files = {"price": tmp_path / "caps.csv", "strike": tmp_path / "none.csv", "rate": "a.csv"}
    with pytest.raises(MarketDataError) as caught:
        read_panels(files, FileSettings(), "caps")
    assert len(caught.value.problems) == 3
    assert "caps.csv: row 2, column '3Y'" in str(caught.value)
    assert "none.csv: there is no such file" in str(caught.value)
    with pytest.raises(MarketDataError, match="no files"):
        read_panels({}, FileSettings(), "caps")


def test_mapped_and_ignored_columns(read):
    text = "Stichtag,mid_price,note\n2024-06-03,1,hello\n"
    columns = {"stichtag": "date", "mid_price": "3Y", "note": "ignore"}
    assert read(text, columns=columns)[0].maturities.tolist() == [3.0]


def test_a_mapped_column_must_be_in_one_of_the_files(tmp_path):
    files = {"normal_vol": tmp_path / "vols.csv", "strike": tmp_path / "strikes.csv"}
    files["normal_vol"].write_text("date,EUR CAP 3Y NVOL,Note\n2024-06-03,1,x\n")
    files["strike"].write_text("date,EUR CAP 3Y STRIKE\n2024-06-03,2\n")
    columns = {"EUR CAP 3Y NVOL": "3Y", "EUR CAP 3Y STRIKE": "3Y", "Note": "ignore"}
    panels = read_panels(files, FileSettings(columns=columns), "caps")
    assert [panel.values.tolist() for panel in panels] == [[[1]], [[2]]]
    wrong = FileSettings(columns={**columns, "EUR CAP 3Y STRIK": "3Y"})
    with pytest.raises(MarketDataError, match=r"^caps: setting") as caught:
        read_panels(files, wrong, "caps")
    assert caught.value.problems == (
        "setting caps.columns: there is no column 'EUR CAP 3Y STRIK' (did you mean "
        "'EUR CAP 3Y STRIKE'?); correct or remove the entry",
    )


def test_sheets_are_mapped_by_name(tmp_path):
    path = workbook(tmp_path / "b.xlsx", Preise=[["date", 3], [45446, 9.0]], Info=[["x"]])
    (panel,) = read_panels(path, FileSettings(quantities={"Preise": "price"}), "caps")
    assert panel.values.tolist() == [[9.0]]


def test_what_a_layout_lacks_ends_with_a_setting_to_copy(read):
    text = "Tag;" + ";".join(f"EUR CAP {years}Y NVOL" for years in range(3, 60)) + "\n" + "1;" * 58
    with pytest.raises(MarketDataError) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert len(problem) < 700
    example = problem.rpartition("such as ")[2]
    assert tomllib.loads(example) == {"caps": {"columns": {"Tag": "date"}}}
    with pytest.raises(MarketDataError) as caught:
        read(text, columns={"Tag": "date"})
    example = caught.value.problems[0].rpartition("such as ")[2]
    assert tomllib.loads(example) == {"caps": {"columns": {"EUR CAP 3Y NVOL": "3Y"}}}


def test_many_problems_of_a_kind_are_counted(read):
    rows = "".join(f"2024-06-03,3Y,price,x{i}\n" for i in range(54))
    with pytest.raises(MarketDataError) as caught:
        read("date,maturity,quantity,value\n" + rows)
    assert len(caught.value.problems) == 6
    assert caught.value.problems[-1] == "and 49 more like it"
    same = "".join(f"2024-06-{i:02},3Y,price,x\n" for i in range(1, 11))
    with pytest.raises(
        MarketDataError, match=r"row 2, column 'value' \(also row 3, 4, 5, 6, 7 and"
    ):
        read("date,maturity,quantity,value\n" + same)


def workbook(path, **sheets):
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        for title, rows in sheets.items():
            sheet = book.add_worksheet(title)
            for i, row in enumerate(rows):
                sheet.write_row(i, 0, row)
    return path


def test_sheets_are_chosen_by_name(tmp_path):
    day, other = datetime.date(2024, 6, 3), [["date", 3], [45446, 9.0]]
    rows = [["date", 3.0, "18M"], [day, 0.01, "#N/A"], ["", "", ""]]
    path = workbook(tmp_path / "book.xlsx", PRICES=rows, Zero_Rates=other, Notes=[["x"]])
    (panel,) = read_panels(path, FileSettings(), "caps")
    assert panel.source == "book.xlsx, sheet 'PRICES'"
    assert panel.maturities.tolist() == [1.5, 3.0]
    np.testing.assert_array_equal(panel.values, [[np.nan, 0.01]])
    assert read_panels(path, FileSettings(), "curve")[0].quantity == "zero_rate"
    named = FileSettings(sheet="PRICES", quantity="strike")
    assert read_panels(path, named, "caps")[0].quantity == "strike"
    alone = workbook(tmp_path / "alone.xlsx", Strikes=other)
    (panel,) = read_panels(alone, FileSettings(), "caps")
    assert (panel.quantity, panel.source) == ("strike", "alone.xlsx")
    words = FileSettings(quantities={"Notes": "bid", "prices": "ask", "zero_rates": "strike"})
    with pytest.raises(MarketDataError, match="sheet 'Notes', row 1: there are no values"):
        read_panels(path, words, "caps")
    both = workbook(tmp_path / "both.xlsx", Caps=other, Curve=other)
    assert read_panels(both, FileSettings(), "caps")[0].source == "both.xlsx, sheet 'Caps'"


def test_a_password_is_named(tmp_path, monkeypatch):
    refusing = tmp_path / "refusing.py"
    refusing.write_text(
        "import pickle, sys; pickle.dump(('password', None), sys.stdout.buffer)", encoding="utf-8"
    )
    workbook(tmp_path / "book.xlsx", price=[["date", 3], [45446, 1]])
    monkeypatch.setattr(workbook_process, "__file__", str(refusing))
    with pytest.raises(MarketDataError, match="protected by a password; save a copy"):
        read_panels(tmp_path / "book.xlsx", FileSettings(), "caps")


def test_parquet_types(tmp_path):
    path = tmp_path / "caps.parquet"
    moment = datetime.datetime(2024, 6, 3)
    dates = [
        pa.array([datetime.date(2024, 6, 3)]),
        pa.array([moment], pa.timestamp("ns")),
        pa.array([moment], pa.timestamp("s", "UTC")),
        pa.array(["2024-06-03"]),
        pa.array([45446]),
    ]
    values = [pa.array([1.5]), pa.array([1.5], pa.float32()), pa.array(["1.5"])]
    values.append(pa.array([1.5]).cast(pa.decimal128(5, 2)))
    for date in dates:
        for value in values:
            gap = pa.array([None], pa.float64())
            pq.write_table(pa.table({"date": date, "3Y": value, "4Y": gap}), path)
            (panel,) = read_panels(path, FileSettings(), "caps")
            assert days(panel) == ["2024-06-03"]
            np.testing.assert_array_equal(panel.values, [[1.5, np.nan]])
    pq.write_table(pa.table({"date": dates[0], "3Y": pa.array([[1.5]])}), path)
    with pytest.raises(MarketDataError, match=r"row 1, column '3Y': '\[1.5\]' is not a number"):
        read_panels(path, FileSettings(), "caps")


def test_a_file_without_permission_is_named(tmp_path, monkeypatch):
    path = tmp_path / "caps.csv"
    path.write_text("date,3Y\n")

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", refuse)
    with pytest.raises(MarketDataError, match=r"cannot be read \(Permission denied\)"):
        read_panels(path, FileSettings(), "caps")


def test_columns_that_nobody_reads_are_named(read):
    text = "date,maturity,price,broker,note\n2024-01-02,3Y,0.01,quoted,\n"
    (panel,) = read(text)
    assert panel.unused == ("broker", "note")
    (panel,) = read(text, columns={"broker": "ignore"})
    assert panel.unused == ("note",)
    (panel,) = read(text.replace("broker", "vol_status"))
    assert panel.unused == ("note",)
    (panel,) = read("date,maturity,quantity,value,who\n2024-01-02,3Y,price,0.01,me\n")
    assert panel.unused == ("who",)
