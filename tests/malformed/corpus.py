"""The corpus of malformed inputs: small files that people really send, and what they are told.

A case is a caps file and a curve file, one of them bad. `says` are the parts of the message that
matter: the place and the remedy. Cases with `detected_by == "check"` are read without complaint;
only the assembly of caps and curve can see that they are wrong.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import xlsxwriter

CAPS = """date,maturity,quantity,value
2024-06-03,3Y,price,0.0096
2024-06-03,3Y,strike,0.0282
2024-06-03,5Y,price,0.0212
2024-06-03,5Y,strike,0.0269
2024-06-13,3Y,price,0.0097
2024-06-13,3Y,strike,0.0285
2024-06-13,5Y,price,0.0214
2024-06-13,5Y,strike,0.0271
"""
CURVE = """date,6M,1Y,2Y,3Y,4Y,5Y
2024-06-03,0.9826,0.9672,0.9402,0.9161,0.8934,0.8714
2024-06-13,0.9825,0.967,0.9398,0.9155,0.8927,0.8705
"""
WIDE = """date,3Y,5Y
2024-06-03,0.0096,0.0212
2024-06-13,0.0097,0.0214
"""
TIDY = """date,maturity,price,strike
2024-06-03,3Y,0.0096,0.0282
2024-06-03,5Y,0.0212,0.0269
2024-06-13,3Y,0.0097,0.0285
2024-06-13,5Y,0.0214,0.0271
"""
STRIKES = """date,maturity,kind,strike,price
2024-06-03,5Y,cap,ATM,0.0212
2024-06-03,5Y,cap,0.03,0.0171
2024-06-03,5Y,floor,0.01,0.004
2024-06-13,5Y,cap,,0.0214
2024-06-13,5Y,cap,0.03,0.0173
2024-06-13,5Y,floor,0.01,0.0041
"""
BLOCKS = """Date,3Y,,Date,5Y
2024-06-03,0.0096,,2024-06-03,0.0212
2024-06-13,0.0097,,2024-06-13,0.0214
"""
GERMAN = """date;maturity;quantity;value
03.06.2024;3Y;price;0,0096
03.06.2024;3Y;strike;0,0282
13.06.2024;3Y;price;0,0097
13.06.2024;3Y;strike;0,0285
"""

Content = str | bytes | None  # None: the file is not written


@dataclass(frozen=True)
class Case:
    """One malformed input."""

    name: str
    caps: Content = CAPS
    says: tuple[str, ...] = ()
    curve: Content = CURVE
    caps_file: str = "caps.csv"
    curve_file: str = "curve.csv"
    settings: str = ""  # TOML
    bad: Literal["caps", "curve", "settings"] = "caps"
    detected_by: Literal["reader", "check"] = "reader"
    other_files: dict[str, str] = field(default_factory=dict)

    @property
    def bad_file(self) -> str:
        """The file that the message must name."""
        return {"caps": self.caps_file, "curve": self.curve_file, "settings": "settings.toml"}[
            self.bad
        ]

    def write(self, folder: Path) -> None:
        """Put the files of the case into a folder: caps, curve and settings.toml."""
        files = {self.caps_file: self.caps, self.curve_file: self.curve, **self.other_files}
        for name, content in {**files, "settings.toml": self.settings}.items():
            if isinstance(content, bytes):
                (folder / name).write_bytes(content)
            elif content is not None:
                (folder / name).write_text(content, encoding="utf-8", newline="")


def changed(text: str, old: str, new: str) -> str:
    """The text with one thing wrong; the place must exist."""
    assert old in text, old
    return text.replace(old, new, 1)


def workbook(**sheets: list[list[object]]) -> bytes:
    """An Excel file in memory."""
    memory = io.BytesIO()
    book = xlsxwriter.Workbook(memory, {"in_memory": True, "default_date_format": "dd.mm.yyyy"})
    for title, rows in sheets.items():
        sheet = book.add_worksheet(title)
        for i, row in enumerate(rows):
            sheet.write_row(i, 0, row)
    book.close()
    return memory.getvalue()


def grid(text: str) -> list[list[object]]:
    """CSV text as rows, with numbers as numbers."""

    def cell(word: str) -> object:
        try:
            return float(word)
        except ValueError:
            return word

    return [[cell(word) for word in line.split(",")] for line in text.splitlines()]


def parquet(make: Callable[[], object]) -> bytes:
    """A Parquet file in memory, from a pyarrow table."""
    import pyarrow.parquet as pq

    memory = io.BytesIO()
    pq.write_table(make(), memory)
    return memory.getvalue()


def _long_parquet(dates: list[object], values: list[object]) -> bytes:
    import pyarrow as pa

    return parquet(
        lambda: pa.table(
            {
                "date": dates,
                "maturity": ["3Y"] * len(dates),
                "quantity": ["price"] * len(dates),
                "value": values,
            }
        )
    )


def slashed(text: str) -> str:
    """The dates of CAPS as day/month/year."""
    return text.replace("2024-06-03", "03/06/2024").replace("2024-06-13", "13/06/2024")


# The signature of a binary Excel file, and nothing behind it.
OLD_WORKBOOK = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)

READER_CASES = [
    # Files
    Case("no such file", None, ("no such file", "did you mean 'caps_2024.csv'?"),
         caps_file="caps_2025.csv", other_files={"caps_2024.csv": CAPS}),
    Case("empty file", "", ("row 1", "no header")),
    Case("blank lines only", "\n\n\n", ("row 1", "no header")),
    Case("header only", "date,maturity,quantity,value\n", ("row 1", "no values below")),
    Case("unsupported ending", CAPS, ("'.docx'", "save it as"), caps_file="caps.docx"),
    Case("no ending", CAPS, ("the ending ''", "save it as"), caps_file="caps"),
    Case("workbook named csv", workbook(price=grid(WIDE)), ("Excel workbook", ".xlsx")),
    Case("binary named csv", b"date,3Y\n2024-06-03,\x00\x01\x02", ("row 2", "binary")),
    Case("latin text", CAPS.replace("price", "Prämie").encode("cp1252"),
         ("row 2", 'such as "cp1252"')),
    Case("utf-16 text", CAPS.encode("utf-16"), ("UTF-16", 'set "utf-16"')),
    Case("text named xlsx", CAPS, ("cannot be opened as a workbook", "save it again"),
         caps_file="caps.xlsx"),
    Case("truncated workbook", workbook(price=grid(WIDE))[:900],
         ("cannot be opened as a workbook", "save it again"), caps_file="caps.xlsx"),
    Case("damaged old workbook", OLD_WORKBOOK, ("cannot be opened as a workbook",),
         caps_file="caps.xls"),
    Case("text named parquet", CAPS, ("cannot be opened as Parquet",), caps_file="caps.parquet"),
    # Shape
    Case("row too long", changed(CAPS, "0.0212", "0,0212"),
         ("row 4 has 5 cells, the header has 4", "decimal comma")),
    Case("row cut off", CAPS[: CAPS.rindex(",")], ("row 9 has 3 cells", "cut off")),
    Case("quote not closed", changed(CAPS, "5Y", '"5Y'), ("row 4", "quotes", "repair")),
    Case("wrong delimiter", CAPS, ("row 1", "no layout fits", "is the delimiter right?"),
         settings='[caps]\ndelimiter = ";"\n'),
    Case("header row beyond the end", CAPS, ("row 50", "header_row"),
         settings="[caps]\nheader_row = 50\n"),
    Case("title above the header", "Cap prices of 2024\n\n" + CAPS,
         ("row 1 has 1 cell, but most rows have 4; is the header further down?",
          "Set header_row = 3 under [caps]")),
    Case("title above a German header", "Caps, Stand 13.06.2024\n" + GERMAN,
         ("row 1 has 1 cell, but most rows have 4", "Set header_row = 2 under [caps]")),
    Case("title above a sheet", workbook(price=[["Cap prices"], [], *grid(WIDE)]),
         ("row 1 has 1 cell, but most rows have 3", "Set header_row = 3 under [caps]"),
         caps_file="caps.xlsx"),
    Case("decimal commas between commas", changed(WIDE.replace("0.", "0,"), "\n", "\n\n"),
         ("row 1 has 3 cells, but most rows have 5; a decimal comma",)),
    Case("column of a sheet without a name", workbook(price=[row + [1.0] * (i > 0)
         for i, row in enumerate(grid(WIDE))]),
         ("row 1 has 3 cells, but most rows have 4; name every column",), caps_file="caps.xlsx"),
    # Header
    Case("names of a terminal", WIDE.replace("3Y", "EUR CAP 3Y NVOL").replace("5Y", "EUR CAP 5Y"),
         ("row 1", "no layout fits", 'such as caps.columns."EUR CAP 3Y NVOL" = "3Y"')),
    Case("misspelt column", changed(CAPS, "maturity", "maturty"),
         ("row 1", "'maturty' (did you mean 'maturity'?)", "[caps.columns]")),
    Case("no header row", CAPS[CAPS.index("\n") + 1 :], ("row 1", "no layout fits")),
    Case("column twice", changed(TIDY, "strike", "price"),
         ("row 1", "columns 3 and 4 are both 'price'", "rename")),
    Case("maturity twice", changed(WIDE, "5Y", "3Y"), ("columns 2 and 3 are both '3Y'",)),
    Case("stranger among maturities", changed(WIDE, "5Y", "5Z"),
         ("row 1, column '5Z' is not a maturity", "[caps.columns]")),
    Case("column without a name", changed(WIDE, "5Y", "") .replace("3Y,", "3Y,,4Y")
         .replace("0.0212", "0.0212,0.02").replace("0.0214", "0.0214,0.02"),
         ("row 1, column 3 is not a maturity",)),
    Case("unit in the header", changed(TIDY, "strike", "strike_pct"),
         ("column 'strike_pct' may mean 'strike'", "[caps.units]")),
    Case("block without dates", changed(BLOCKS, "Date,3Y", "3Y,Date"),
         ("column '3Y' is before any date column",)),
    Case("declared layout does not fit", CAPS, ("row 1", "(wide)"),
         settings='[caps]\nlayout = "wide"\n'),
    Case("mapped column is not there", CAPS, ("caps.columns", "no column 'Laufzeit'", "correct"),
         settings='[caps]\ncolumns = { Laufzeit = "maturity" }\n'),
    Case("mapped to nothing of ours", CAPS,
         ("caps.columns", "not one of our columns (did you mean 'value'?)"),
         settings='[caps]\ncolumns = { value = "vaule" }\n'),
    # Dates
    Case("ambiguous dates", changed(GERMAN, "date", "date").replace(".06.", "/06/")
         .replace("13/", "12/"),
         ("row 2, column 'date': '03/06/2024'", 'date_format = "dmy" or "mdy"')),
    Case("contradictory dates", slashed(CAPS).replace("03/06/2024", "06/14/2024"),
         ("'13/06/2024' has the day first", "'06/14/2024' the month", "in one way")),
    Case("dates in two ways", changed(CAPS, "2024-06-13", "13.06.2024"),
         ("row 2, column 'date'", "row 6, column 'date'", "two ways")),
    Case("impossible date", changed(CAPS, "2024-06-13", "2024-02-30"),
         ("row 6, column 'date': '2024-02-30' is not in the calendar",)),
    Case("no date at all", changed(CAPS, "2024-06-13", "yesterday"),
         ("row 6, column 'date': 'yesterday' is not a date", "2024-06-03")),
    Case("two-digit years", GERMAN.replace("2024", "24"),
         ("row 2, column 'date': '03.06.24' has a two-digit year", "%d.%m.%y")),
    Case("blank date", changed(WIDE, "2024-06-13", ""),
         ("row 3, column 'date'", "the date is blank", "fill it in")),
    Case("blank date in a block", changed(BLOCKS, ",,2024-06-13", ",,"),
         ("row 3, column 4 ('Date')", "the date is blank")),
    Case("time of day", changed(CAPS, "2024-06-13", "2024-06-13 17:30"),
         ("row 6", "time of day")),
    Case("year mistyped", changed(CAPS, "2024-06-13", "0204-06-13"),
         ("row 6", "outside 1954 to 2119")),
    Case("dates unlike the declared format", CAPS, ("row 2", "date_format = 'dmy'"),
         settings='[caps]\ndate_format = "dmy"\n'),
    Case("footer", WIDE + "Source: synthetic,,\n", ("row 4", "'Source: synthetic' is not a date")),
    Case("half of the dates swapped by Excel", workbook(price=[
         ["date", "3Y"], [45446.0, 0.0096], ["13/06/2024", 0.0097]]),
         ("row 2", "row 3", "two ways"), caps_file="caps.xlsx"),
    # Maturities
    Case("no maturity", changed(CAPS, "5Y", "5X"),
         ("row 4, column 'maturity': '5X' is not a maturity", "write 3Y")),
    Case("maturities in months", CAPS.replace("5Y", "360"), ("row 4", "'360' is not a maturity")),
    Case("blank maturity", changed(CAPS, "5Y", ""), ("row 4, column 'maturity': ''",)),
    # Numbers
    Case("letter in a number", changed(CAPS, "0.0212", "0.02l2"),
         ("row 4, column 'value': '0.02l2' is not a number", "caps.missing")),
    Case("percent signs", changed(CAPS, "0.0282", "2.82%"),
         ("row 3, column 'value': '2.82%' carries a percent sign", "[caps.units]")),
    Case("infinite", changed(CAPS, "0.0212", "1e999"), ("row 4", "not a finite number")),
    Case("word for infinity", changed(CAPS, "0.0212", "inf"), ("row 4", "'inf' is not a number")),
    Case("unknown word for a gap", changed(CAPS, "0.0212", "k.A."),
         ("row 4", "'k.A.' is not a number", "caps.missing")),
    Case("comma or point", GERMAN.replace("0,00", "1,0").replace("0,0", "1,").replace(";", "\t"),
         ("row 2, column 'value': '1,096'", 'decimal = ","')),
    Case("points for thousands and for decimals", CAPS.replace("0.0096", "1.329.861"),
         ("row 3, column 'value': '0.0282' and row 2", "decimal sign")),
    Case("euro signs", changed(GERMAN, "0,0096", "106.840,80 €"),
         ("row 2, column 'value': '106.840,80 €' carries a currency sign", "remove the signs",
          "currency in [caps.units] and conventions.notional")),
    Case("currency codes", changed(TIDY, "0.0096", '"EUR 1,200.50"'),
         ("row 2, column 'price': 'EUR 1,200.50' carries a currency sign",)),
    Case("dollar signs in a curve", curve=changed(CURVE, "0.9672", "$0.9672"), bad="curve",
         says=("row 2, column '1Y': '$0.9672' carries a currency sign; remove the signs",)),
    Case("comma and point", changed(GERMAN, "0,0282", "0.0282"),
         ("row 3", "row 2", "decimal sign", "[caps]")),
    Case("not the declared decimal", GERMAN, ("row 2", "'0,0096' is not a number", "caps.decimal"),
         settings='[caps]\ndecimal = "."\n'),
    Case("truth in a cell", workbook(price=[["date", "3Y"], ["2024-06-03", True]]),
         ("row 2, column '3Y': True is not a number",), caps_file="caps.xlsx"),
    Case("date instead of a number", _long_parquet(["2024-06-03"], ["2024-06-03"]),
         ("row 1, column 'value'", "is not a number"), caps_file="caps.parquet"),
    Case("parquet without rows", _long_parquet([], []), ("row 1", "no values"),
         caps_file="caps.parquet"),
    # Quantities
    Case("misspelt quantity", changed(CAPS, "strike", "stirke"),
         ("row 3, column 'quantity': 'stirke'", "did you mean 'strike'?", "[caps.quantities]")),
    Case("blank quantity", changed(CAPS, "strike", ""), ("row 3", "the quantity is blank")),
    Case("curve given as caps", CURVE, ("no price", "right file"),
         caps_file="discount_factors.csv"),
    Case("caps given as curve", CAPS, ("no discount_factor", "only price, strike", "right file"),
         curve=CAPS, bad="curve"),
    Case("misspelt sheet", workbook(Pricess=grid(WIDE), Strikes=grid(WIDE)),
         ("sheet 'Pricess' may mean 'price'", "rename"), caps_file="caps.xlsx"),
    Case("sheet not there", workbook(Prices=grid(WIDE)),
         ("no sheet 'Price'", "did you mean 'Prices'?", "correct sheet"), caps_file="caps.xlsx",
         settings='[caps]\nsheet = "Price"\n'),
    Case("which sheet", workbook(Sheet1=grid(WIDE), Sheet2=grid(WIDE)),
         ("'Sheet1', 'Sheet2'", "choose one", 'caps.quantities."Sheet1" = "price"'),
         caps_file="caps.xlsx"),
    Case("sheets with foreign names", workbook(Preise=grid(WIDE), Zero_rates=grid(CURVE)),
         ("no price", "skipped sheets: 'Preise'; map them in [caps.quantities]",
          'caps.quantities."Preise" = "price"'), caps_file="caps.xlsx"),
    Case("prices in a sheet with a foreign name", workbook(Preise=grid(WIDE), Strikes=grid(WIDE)),
         ("no price", "only strike", "skipped sheets: 'Preise'"), caps_file="caps.xlsx"),
    Case("curve in a sheet with a foreign name", curve=workbook(Kurve=grid(CURVE),
         Prices=grid(WIDE)), curve_file="curve.xlsx", bad="curve",
         says=("no discount_factor", 'curve.quantities."Kurve" = "discount_factor"')),
    Case("bad cell in a sheet", workbook(Prices=grid(changed(WIDE, "0.0097", "x")),
         Strikes=grid(WIDE)),
         ("sheet 'Prices', row 3, column '3Y': 'x' is not a number",), caps_file="caps.xlsx"),
    # Contradictions
    Case("quote given twice", CAPS + "2024-06-03,5Y,price,0.0213\n",
         ("2024-06-03, 5Y: price is 0.0212 in row 4", "but 0.0213 in row 10", "keep one")),
    Case("the same quote twice", CAPS + "2024-06-03,5Y,price,0.0212\n",
         ("2024-06-03, 5Y: price is 0.0212 in row 4", "and again 0.0212 in row 10", "keep one")),
    Case("the same row twice", WIDE + "2024-06-13,0.0097,0.0214\n",
         ("2 problems", "2024-06-13, 3Y: price is 0.0097 in row 3", "and again 0.0097 in row 4")),
    Case("the same strike twice", STRIKES + "2024-06-03,5Y,floor,0.01,0.0041\n",
         ("2024-06-03, 5Y floor with strike 0.01: price is 0.004 in row 4, column 'price' but "
          "0.0041 in row 8", "keep one")),
    Case("at the money twice", STRIKES + "2024-06-13,5Y,cap,,0.0212\n",
         ("2024-06-13, 5Y: price is 0.0214 in row 5", "but 0.0212 in row 8", "keep one")),
    Case("unknown kind", changed(STRIKES, "floor,", "flor,"),
         ("row 4, column 'kind': 'flor' is not a kind; choose from cap, floor (did you mean "
          "'floor'?)", "or leave the column unread: caps.columns.\"kind\" = \"ignore\"")),
    Case("unknown status", changed(changed(TIDY, "strike", "strike,vol_status"), "2\n", "2,guess\n")
         .replace("9\n", "9,quoted\n").replace("5\n", "5,\n").replace("1\n", "1,traded\n"),
         ("row 2, column 'vol_status': 'guess' is not a status; choose from quoted, traded, "
          "interpolated, estimated, indicative, derived",
          "or leave the column unread: caps.columns.\"vol_status\" = \"ignore\"")),
    Case("an unknown mark of interpolation", changed(TIDY, "strike", "strike,interpolated")
         .replace("2\n", "2,maybe\n").replace("9\n", "9,yes\n").replace("5\n", "5,\n")
         .replace("1\n", "1,no\n"),
         ("row 2, column 'interpolated': 'maybe' is not a yes or no; choose from yes, true, 1",)),
    Case("an unknown kind in German", changed(STRIKES, ",kind,", ",Typ,").replace("floor", "Flur"),
         ("row 4, column 'Typ' (also row 7): 'Flur' is not a kind; choose from cap, floor",)),
    Case("kinds under another name", changed(STRIKES, ",kind,", ",type,"),
         ("row 1, column 'type' says which quotes are caps and which floors; map it: "
          "caps.columns.\"type\" = \"kind\", or to \"ignore\"",)),
    Case("strikes under another name", changed(STRIKES, ",strike,", ",K,"),
         ("2024-06-03, 5Y: price is 0.0212 in row 2", "but 0.0171 in row 3", "keep one, or map "
          "what tells them apart in [caps.columns] (unread: 'K')")),
    Case("a strike that is a word", changed(STRIKES, ",0.03,", ",OTM,"),
         ("row 3, column 'strike': 'OTM' is not a number", "caps.missing")),
    Case("date given twice", WIDE + "2024-06-03,0.0098,0.0212\n",
         ("2024-06-03, 3Y: price is 0.0096 in row 2", "but 0.0098 in row 4")),
    Case("36M is 3Y", changed(WIDE, "5Y", "36M"),
         ("2024-06-03, 3Y", "row 2, column '3Y'", "row 2, column '36M'")),
    Case("value and gap", CAPS + "2024-06-03,5Y,price,#N/A\n", ("but blank in row 10",)),
    Case("bad curve", curve=changed(CURVE, "0.967,", "O.967,"), bad="curve",
         says=("row 3, column '1Y': 'O.967' is not a number", "curve.missing")),
    Case("several at once", changed(changed(CAPS, "0.0212", "x"), "2024-06-13", "2024-06-31"),
         ("2 problems", "row 4, column 'value'", "row 6, column 'date'")),
    # Settings
    Case("settings are no TOML", says=("not valid TOML", "line 2"), bad="settings",
         settings="[caps]\nlayout = wide\n"),
    Case("unknown setting", says=("caps.delimeter", "did you mean 'delimiter'?"), bad="settings",
         settings='[caps]\ndelimeter = ";"\n'),
    Case("unknown section", says=("cap:", "did you mean 'caps'?"), bad="settings",
         settings='[cap]\nlayout = "wide"\n'),
    Case("no such layout", says=("caps.layout is 'broad'; choose from long, wide, tidy, blocks",),
         bad="settings", settings='[caps]\nlayout = "broad"\n'),
    Case("no date format", says=("caps.date_format", "use iso, dmy"), bad="settings",
         settings='[caps]\ndate_format = "dd.mm.yyyy"\n'),
    Case("no delimiter", says=("curve.delimiter", "a single character"), bad="settings",
         settings='[curve]\ndelimiter = "semicolon"\n'),
    Case("no encoding", says=("caps.encoding", "such as utf-8"), bad="settings",
         settings='[caps]\nencoding = "ansi8"\n'),
    Case("unknown unit", says=("caps.units.price is 'ticks'", "choose from decimal, percent, bp"),
         bad="settings", settings='[caps]\nunits = { price = "ticks" }\n'),
    Case("unit of no quantity", says=("caps.units: 'normalvol' is not a quantity; choose from "
         "price", "(did you mean 'normal_vol'?)"), bad="settings",
         settings='[caps.units]\nnormalvol = "bp"\n'),
    Case("unit of the other file", says=("curve.units: 'price' is not a quantity of this section",),
         bad="settings", settings='[curve.units]\nprice = "bp"\n'),
    Case("setting of another section", says=("did you mean conventions.compounding?",),
         bad="settings", settings='[curve]\ncompounding = "annual"\n'),
    Case("foreign truth", says=("conventions.first_caplet is 'ja'; use true or false",),
         bad="settings", settings='[conventions]\nfirst_caplet = "ja"\n'),
    Case("no date to exclude", says=("checks.exclude is '2024-02-30'; there is no such day",),
         bad="settings", settings='[checks]\nexclude = ["2024-02-30"]\n'),
]  # fmt: skip

CHECK_CASES = [
    Case("negative price", changed(CAPS, "0.0212", "-0.0212"), detected_by="check"),
    Case("prices in basis points", CAPS.replace("price,0.0", "price,"), detected_by="check"),
    Case("strikes in percent", CAPS.replace("strike,0.02", "strike,2."), detected_by="check"),
    Case("strikes in basis points", CAPS.replace("strike,0.0", "strike,"), detected_by="check"),
    Case("vols in basis points",
         CAPS.replace("price,0.00", "normal_vol,").replace("price,0.02", "normal_vol,"),
         detected_by="check"),
    Case("curve ends too early", curve="".join(
         line.rsplit(",", 2)[0] + "\n" for line in CURVE.splitlines()),
         bad="curve", detected_by="check"),
    Case("no common dates", curve=CURVE.replace("2024", "2023"), bad="curve",
         detected_by="check"),
    Case("bid above ask", changed(TIDY, "strike", "bid").replace("bid\n", "bid,ask\n")
         .replace("82\n", "82,0.01\n").replace("69\n", "69,0.01\n").replace("85\n", "85,0.01\n")
         .replace("71\n", "71,0.01\n"), detected_by="check"),
    Case("negative discount factor", curve=changed(CURVE, "0.9672", "-0.9672"), bad="curve",
         detected_by="check"),
    Case("zero rates read as discount factors", curve=CURVE.replace("0.9", "0.03")
         .replace("0.8", "0.02"), bad="curve", detected_by="check"),
    Case("strikes only", "".join(line + "\n" for line in CAPS.splitlines() if "price" not in line),
         detected_by="check"),
]  # fmt: skip

CASES = READER_CASES + CHECK_CASES
