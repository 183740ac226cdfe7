"""Files and settings that nobody should give: good ones, damaged, and odd ones made at random.

Every function takes a random generator and a folder, and returns what is to be tried, as a call
without arguments. `fuzz_inputs.py` runs them.
"""

import io
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

import calibscope as cs
from calibscope.market.panel import Panel
from calibscope.market.readers import read_panels
from calibscope.market.settings import FileSettings, MarketSettings
from calibscope.study.read import market_settings
from calibscope.study.settings import StudySettings, study_settings

Try = Callable[[], object]

# 2024-06-13 settles the order of day and month wherever dates are written with slashes.
LONG = """date,maturity,quantity,value
2024-06-03,3Y,price,0.0096
2024-06-03,18M,price,0.0041
2024-06-03,3Y,strike,0.0282
2024-06-13,3Y,price,#N/A
2024-06-13,18M,price,0.0043
2024-06-13,3Y,strike,0.0285
"""
TIDY = """date,maturity,price,strike,comment
2024-06-03,3Y,0.0096,0.0282,fine
2024-06-03,18M,0.0041,,
2024-06-13,3Y,,0.0285,
2024-06-13,18M,1.2e-3,-0.0001,negative
"""
WIDE = """date,3Y,18M,10Y
2024-06-03,0.0096,0.0041,0.0564
2024-06-13,0.0097,NULL,0.0567
2024-06-14,0.0099,0.0044,0.057
"""
BLOCKS = """Date,3Y,,Date,18M,10Y
2024-06-03,0.0096,,2024-06-13,0.0041,0.0564
2024-06-13,0.0097,,2024-06-14,0.0044,#N/A N/A
2024-06-14,0.0099,,,,
"""
GERMAN = """Datum;3J;18M;10J
03.06.2024;0,0096;0,0041;0,0564
13.06.2024;0,0097;-;0,0567
14.06.2024;0,0099;0,0044;1.234,5
"""
SURFACE = """date,maturity,kind,strike,normal_vol,interpolated
2024-06-03,3Y,cap,ATM,85,no
2024-06-03,18M,cap,2,86,
2024-06-03,18M,cap,3,87.5,yes
2024-06-03,18M,floor,1,88,
2024-06-13,3Y,cap,,85.5,
2024-06-13,18M,cap,2,86,no
2024-06-13,18M,Floors,1,#N/A,no
2024-06-14,3Y,cap,atm,84,
2024-06-14,18M,cap,2.61,86,
2024-06-14,18M,floor,1,88.5,
"""
LONG_SURFACE = """date,maturity,Typ,strike,quantity,value
2024-06-03,3Y,cap,ATM,normal_vol,85
2024-06-03,3Y,cap,ATM,bid,84
2024-06-03,3Y,cap,ATM,ask,86
2024-06-03,18M,,2,normal_vol,86
2024-06-13,18M,,2.1,normal_vol,86
2024-06-14,18M,,2.2,normal_vol,86
2024-06-14,18M,,3,normal_vol,88
2024-06-14,18M,floor,1,normal_vol,88.5
"""
SLASHES = WIDE.replace("2024-06-03", "03/06/2024").replace("2024-06-1", "1").replace(
    "\n13,", "\n13/06/2024,"
).replace("\n14,", "\n14/06/2024,")  # fmt: skip
TEXTS = {
    "long": LONG,
    "tidy": TIDY,
    "wide": WIDE,
    "blocks": BLOCKS,
    "german": GERMAN,
    "slashes": SLASHES,
    "surface": SURFACE,
    "long surface": LONG_SURFACE,
}
# A market that can be used, so that what is damaged little goes all the way.
CAPS = """date,3Y,5Y,7Y,10Y,15Y,20Y
2024-06-03,85,86,84,83,79,75
2024-06-04,85.5,86,84,83,79,75
2024-06-05,84,86,84.5,83,79,75.2
"""
STRUCK = """date,maturity,kind,strike,normal_vol
2024-06-03,3Y,cap,ATM,85
2024-06-03,5Y,cap,ATM,86
2024-06-03,5Y,cap,0.03,87
2024-06-03,5Y,floor,0.01,88
2024-06-04,3Y,cap,,84
2024-06-04,5Y,cap,0.0271,86
2024-06-04,5Y,floor,0.01,88
2024-06-05,3Y,cap,,84.5
2024-06-05,5Y,cap,0.0272,86
2024-06-05,5Y,cap,0.03,87
"""
CURVE = """date,1Y,3Y,5Y,7Y,10Y,15Y,20Y,30Y
2024-06-03,0.034,0.029,0.027,0.0268,0.027,0.0272,0.0268,0.025
2024-06-04,0.0341,0.029,0.027,0.0268,0.027,0.0272,0.0268,0.025
2024-06-05,0.0339,0.029,0.0271,0.0268,0.027,0.0272,0.0268,0.025
"""
MARKET = {
    "caps": {"quantity": "normal_vol", "units": {"normal_vol": "bp"}},
    "curve": {"quantity": "zero_rate"},
}
TOML = """[caps]
quantity = "normal_vol"
missing = ["-", "n.a."]
header_row = 1
[caps.units]
normal_vol = "bp"
[caps.columns]
"CAP 3Y" = "3Y"
[curve]
quantity = "zero_rate"
date_format = "%d.%m.%Y"
delimiter = ";"
decimal = ","
encoding = "cp1252"
[conventions]
tenor = "6M"
first_caplet = false
notional = 1.0
vol_shift = 0.03
interpolation = "log-cubic"
[checks]
maturities = ["3Y", 5, 7.5]
exclude = [2024-06-03, "2024-06-04"]
jump_mads = 8
[calibration]
solver = "global"
weights = {"3Y" = 1, "5Y" = 2.5}
bounds = {a_x = [1e-5, 1.0], rho_xy = [-1, 1]}
fixed = {sigma_x = 0.01}
[diagnosis]
mode = "active"
levels = [0.5, 0.95]
[governance]
amber = ["is_off_optimum"]
[governance.limits.rmsre]
amber = 0.02
red = 0.05
"""
KEYS = re.findall(r"^\w+(?= =)", TOML, re.MULTILINE)
PAIRS = [
    (f"{section}.{key}", value)
    for section, lines in re.findall(r"\[([\w.]+)\]\n((?:[^\[].*\n)*)", TOML)
    for key, value in re.findall(r"^(\S+) = (.*)$", lines, re.MULTILINE)
    if '"' not in key
]
SECTIONS = ("caps", "curve", "conventions", "checks", "calibration", "diagnosis", "governance")

WORDS = [
    *(
        "",
        " ",
        "date",
        "maturity",
        "quantity",
        "value",
        "price",
        "3Y",
        "36M",
        "ON",
        "999Y",
        "45446",
    ),
    *("TRUE", "1e999", "nan", "inf", "-inf", "-0", "1,234", "1.234", "1.234.567", "5%", "1_0", "٣"),
    *("5 €", "EUR 1,200.50", "1,234,567", "#NV", "#REF!", "20240603", "2024-02-30", "03/06/2024"),
    *(
        "06/13/2024",
        "3.6.24",
        "2024-06-03 00:00:00",
        "2024-06-03T12:00",
        "0000-00-00",
        "9999-12-31",
    ),
    *("1e-320", "1e308", "-1e308", "9" * 5000, "9" * 400, "0." + "0" * 400 + "1", "1Y" * 50, "-3Y"),
    *(
        "½",
        "\u22121",
        "1e5Y",
        "0Y",
        "0x10",
        "1" + "0" * 300 + "Y",
        "\ufeffdate",
        "da\u200bte",
        "\u202eY3",
    ),
    *(
        "a" * 3000,
        "'",
        '"',
        '""',
        "\\",
        "=1+1",
        "1;2",
        "3Y\n",
        "Infinity",
        "None",
        "1.5e",
        "e5",
        "+",
    ),
    *(
        "0.0096",
        "0.03",
        "85",
        "10Y",
        "18M",
        "strike",
        "normal_vol",
        "discount_factor",
        "10000000000",
        "kind",
        "floor",
        "ATM",
        "0.02",
        "yes",
    ),
]
LONGEST = 200_000  # signs
JUNK = [*"0123456789.,;:|/-+eE%\"'#\t \r\n\0_=[]{}", *("é", "\u2028", "\ufeff", "😀", "\x1a", "ß")]
ENCODINGS = ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"]
OPTIONS = [
    *({}, {}, {}, {}, {"decimal": ","}, {"date_format": "dmy"}, {"date_format": "%Y-%m-%d"}),
    *({"delimiter": ";"}, {"header_row": 2}, {"header_row": 10**9}, {"layout": "blocks"}),
    *({"columns": {"3Y": "date"}}, {"encoding": "utf-16"}, {"encoding": "utf-7"}),
    {"columns": {"comment": "price", "price": "ignore"}, "missing": ("fine",)},
]


def damaged_text(chance: random.Random, text: str, most: int = 4) -> str:
    """The text with a few things done to it."""
    for _ in range(chance.randint(0, most)):
        text = chance.choice(DAMAGES)(chance, text)
    return text[:LONGEST]


def _replace_part(chance: random.Random, text: str) -> str:
    start = chance.randint(0, len(text))
    junk = "".join(chance.choices(JUNK, k=chance.randint(0, 4)))
    return text[:start] + junk + text[start + chance.randint(0, 6) :]


def _cut_off(chance: random.Random, text: str) -> str:
    return text[: chance.randint(0, len(text))]


def _change_sign(chance: random.Random, text: str) -> str:
    return text.replace(chance.choice(",;.\n"), chance.choice(",;|\t .\r"))


def _damage_rows(chance: random.Random, text: str) -> str:
    rows = text.splitlines(keepends=True)
    return "".join(chance.choices(rows, k=chance.randint(0, 2 * len(rows))) + rows[:1])


def _replace_cell(chance: random.Random, text: str) -> str:
    rows = [line.split(",") for line in text.split("\n")]
    row = chance.choice(rows)
    row[chance.randrange(len(row))] = chance.choice(WORDS)
    return "\n".join(map(",".join, rows))


def _repeat_column(chance: random.Random, text: str) -> str:
    rows = [line.split(",") for line in text.split("\n")]
    column, times = chance.randrange(len(rows[0])), chance.choice((1, 1, 2, 100))
    return "\n".join(",".join(row + row[column : column + 1] * times) for row in rows)


def _shuffle_columns(chance: random.Random, text: str) -> str:
    rows = [line.split(",") for line in text.split("\n")]
    order = chance.sample(range(len(rows[0])), len(rows[0]))
    return "\n".join(",".join(row[k] for k in order if k < len(row)) for row in rows)


def _repeat_part(chance: random.Random, text: str) -> str:
    start = chance.randint(0, len(text))
    part = text[start : start + chance.randint(1, 30)]
    return text[:start] + part * chance.choice((2, 10, 300)) + text[start:]


DAMAGES = [
    _replace_part, _replace_part, _cut_off, _change_sign, _damage_rows, _replace_cell,
    _replace_cell, _replace_cell, _repeat_column, _shuffle_columns, _repeat_part,
]  # fmt: skip


def damaged_bytes(chance: random.Random, content: bytes, most: int = 20) -> bytes:
    """The content with some bytes replaced, removed or added."""
    start = chance.randint(0, len(content))
    stop = min(start + chance.randint(0, most), len(content))
    return content[:start] + chance.randbytes(chance.randint(0, most)) + content[stop:]


def text_file(chance: random.Random, folder: Path) -> Try:
    """A damaged CSV file for the readers, or for the whole way to a market."""
    encoding = chance.choice(ENCODINGS)
    if chance.random() < 0.2:
        files = {}
        for role, text in (("caps", chance.choice((CAPS, STRUCK))), ("curve", CURVE)):
            files[role] = folder / f"{role}.csv"
            damaged = damaged_text(chance, text, 2)
            files[role].write_bytes(damaged.encode("utf-8", "surrogatepass"))
        given = {name: dict(section) for name, section in MARKET.items()}
        if chance.random() < 0.5:
            given["conventions"] = dict(chance.sample(CONVENTIONS, chance.randint(1, 3)))
        return lambda: sound_market(cs.read_market(files["caps"], files["curve"], settings=given))
    text = damaged_text(chance, chance.choice(list(TEXTS.values())))
    if chance.random() < 0.1:
        rows = [chance.choices(WORDS, k=chance.randint(0, 6)) for _ in range(chance.randint(0, 6))]
        text = "\n".join(map(",".join, rows))
    content = text.encode(encoding, "replace" if encoding == "cp1252" else "surrogatepass")
    if chance.random() < 0.3:
        content = damaged_bytes(chance, content, 3)
    options = dict(chance.choice(OPTIONS))
    if encoding != "utf-8" and chance.random() < 0.7:
        options["encoding"] = encoding
    return reading(folder / "caps.csv", content, options, chance)


CONVENTIONS = [
    ("kind", "floor"), ("tenor", "3M"), ("first_caplet", True), ("atm", "spot"),
    ("schedule", "TARGET"), ("notional", 1e300), ("notional", 1e-300), ("compounding", "simple"),
    ("interpolation", "monotone-convex"), ("interpolation", "svensson"),
    ("interpolation", "log-linear"), ("compounding", "monthly"),
]  # fmt: skip


SHEETS = (["price", "strike"], ["x", "y"], ["caps", "Notes"])


def workbook(chance: random.Random, folder: Path) -> Try:
    """A workbook with odd cells, and perhaps damage inside or outside its archive."""
    if chance.random() < 0.15:
        return reading(folder / "caps.ods", _open_document(chance), {}, chance)
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"nan_inf_to_errors": True}) as book:
        formats = [book.add_format({"num_format": form}) for form in ("yyyy-mm-dd", "0.0", "h:mm")]
        for name in chance.choice((*SHEETS, ["price"], ["price"], ["price"])):
            sheet = book.add_worksheet(name)
            for i, line in enumerate(chance.choice((LONG, TIDY, WIDE)).splitlines()):
                for k, word in enumerate(line.split(",")):
                    _write(sheet, i, k, word, chance, formats)
            if chance.random() < 0.1:
                sheet.write(
                    chance.choice((5, 99, 70_000, 1_048_575)), chance.choice((9, 16_383)), 1
                )
    content = written.getvalue()
    if chance.random() < 0.4:
        content = _damaged_archive(chance, content)
    if chance.random() < 0.2:
        content = damaged_bytes(chance, content, 50)
    name = chance.choice(("caps.xlsx",) * 6 + ("caps.xlsm", "caps.xls", "caps.xlsb", "caps.ods"))
    return reading(folder / name, content, dict(chance.choice(OPTIONS)), chance)


def _write(sheet, row: int, column: int, word: str, chance: random.Random, formats: list) -> None:
    if chance.random() < 0.01:
        word = chance.choice(WORDS)
    if chance.random() < 0.01:
        number = chance.choice((-1e12, 1e12, 1e300, -1.0, 0.0, 45446, 2958466, 60, 1e-300))
        sheet.write_number(row, column, number, chance.choice((*formats, None)))
    elif re.fullmatch(r"-?\d+\.?\d*(e-?\d+)?", word) and len(word) < 300:
        sheet.write_number(row, column, float(word))
    else:
        sheet.write_string(row, column, word[:32_767])


def _damaged_archive(chance: random.Random, content: bytes) -> bytes:
    """The same archive with damage to one of its parts, which is packed again properly."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        victim = chance.choice([name for name in names if name.startswith("xl/")])
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as changed:
            for name in names:
                part = archive.read(name)
                if name == victim:
                    if chance.random() < 0.2:
                        continue
                    text = part.decode("utf-8", "replace")
                    text = chance.choice((_replace_part, _cut_off, _repeat_part, _number))(
                        chance, text
                    )
                    part = text.encode("utf-8", "surrogatepass")
                changed.writestr(name, part)
    return packed.getvalue()


def _number(chance: random.Random, text: str) -> str:
    """Another number somewhere: a row, a style, a length."""
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    one, number = (
        chance.choice(found),
        chance.choice((0, 1, 16_384, 1_048_576, 2**31, 2**63, 10**30)),
    )
    return text[: one.start()] + str(number) + text[one.end() :]


def _open_document(chance: random.Random) -> bytes:
    many = chance.choice((1, 3, 3, 1000, 1000, 10**6, 10**9, 2**32, 10**30))
    attribute = chance.choice(("table:number-columns-repeated", "table:number-rows-repeated"))
    row = (
        f'<table:table-row {attribute}="{many}"><table:table-cell {attribute}="{many}" '
        'office:value-type="float" office:value="0.01"/></table:table-row>'
    )
    names = ("office", "table", "text")
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names
    )
    head = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{word}</text:p></table:table-cell>'
        for word in ("date", "3Y")
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="price"><table:table-row>{head}</table:table-row>{row}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    if chance.random() < 0.5:
        content = _replace_part(chance, content)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content.encode("utf-8", "surrogatepass"))
        archive.writestr(
            "META-INF/manifest.xml",
            '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
    return packed.getvalue()


def parquet_file(chance: random.Random, folder: Path) -> Try:
    """A Parquet file with odd types and values, and perhaps damaged bytes."""
    n = chance.choice((0, 1, 3, 3, 3, 3, 50))
    names = chance.choice(
        (["date", "3Y", "10Y"], ["date", "maturity", "price"], ["date", "date", "3Y"], [""])
    )
    columns = [_column(chance, name, n) for name in names]
    written = io.BytesIO()
    pq.write_table(
        pa.table(columns, names=names),
        written,
        compression=chance.choice(("snappy", "none", "gzip")),
        use_dictionary=chance.random() < 0.5,
        store_schema=chance.random() < 0.7,
    )
    content = written.getvalue()
    if chance.random() < 0.3:
        content = damaged_bytes(chance, content)
    return reading(folder / "caps.parquet", content, dict(chance.choice(OPTIONS)), chance)


def _column(chance: random.Random, name: str, n: int) -> pa.Array:
    days = [f"2024-06-{i + 3:02d}"[:10] for i in range(n)]
    if name == "date" and chance.random() < 0.5:
        return pa.array(days)
    if name == "maturity" and chance.random() < 0.5:
        return pa.array([f"{i + 1}Y" for i in range(n)])
    kinds = [
        *(pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_()),
        *(pa.date32(), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.timestamp("ms")),
        *(pa.time32("s"), pa.time64("ns"), pa.duration("us"), pa.decimal128(38, 10), pa.string()),
        *(pa.large_string(), pa.binary(), pa.list_(pa.float64()), pa.struct([("a", pa.int64())])),
        *(pa.binary(4), pa.dictionary(pa.int32(), pa.string()), pa.null(), pa.large_binary()),
    ]
    kind = chance.choice(kinds)
    if name not in ("date", "maturity") and chance.random() < 0.6:
        return pa.array([0.01 + 0.001 * i for i in range(n)])
    if pa.types.is_integer(kind) or pa.types.is_temporal(kind):
        wide = kind.bit_width
        low = 0 if str(kind).startswith("u") else -(2 ** (wide - 1))
        numbers = [chance.choice((low, 0, 1, 19_877, 2 ** (wide - 1) - 1)) for _ in range(n)]
        storage = kind if pa.types.is_integer(kind) else pa.int64() if wide == 64 else pa.int32()
        return pa.array([min(x, 127) if wide == 8 else x for x in numbers], storage).view(kind)
    if pa.types.is_floating(kind):
        numbers = [chance.choice((0.01, 0.02, float("nan"), float("inf"), -0.0)) for _ in range(n)]
        return pa.array(np.array(numbers, kind.to_pandas_dtype()))
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return pa.array([None] * n, kind)
    if pa.types.is_decimal(kind):
        return pa.array([None if chance.random() < 0.2 else i for i in range(n)], kind)
    if pa.types.is_list(kind):
        return pa.array([[0.1] * chance.randint(0, 3) for _ in range(n)], kind)
    if pa.types.is_struct(kind):
        return pa.array([{"a": i} for i in range(n)], kind)
    words = [chance.choice(WORDS) for _ in range(n)]
    if pa.types.is_dictionary(kind):
        return pa.array(words).dictionary_encode()
    if pa.types.is_fixed_size_binary(kind):
        return pa.array([b"abcd"] * n, kind)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return pa.array(words if is_text else [word.encode() for word in words], kind)


def reading(path: Path, content: bytes, options: dict, chance: random.Random) -> Try:
    """Read the content as caps or as the curve."""
    path.write_bytes(content)
    role = "curve" if chance.random() < 0.2 else "caps"

    def work() -> object:
        panels = read_panels(path, FileSettings(**options), role)
        assert panels
        for panel in panels:
            assert_sound(panel)
        return panels

    return work


def assert_sound(panel: Panel) -> None:
    """What every panel must be, whatever it was read from."""
    assert panel.dates.dtype == "datetime64[D]"
    assert not np.isnat(panel.dates).any()
    assert (np.diff(panel.dates).astype(int) > 0).all()
    assert panel.maturities.dtype == panel.values.dtype == np.float64
    assert np.isfinite(panel.maturities).all()
    count = len(panel.maturities)
    kinds = panel.kinds or ("",) * count
    strikes = np.full(count, np.nan) if panel.strikes is None else panel.strikes
    columns = list(zip(panel.maturities, kinds, np.nan_to_num(strikes, nan=-np.inf), strict=True))
    assert columns == sorted(set(columns))  # caps before floors, at the money before strikes
    assert panel.values.shape == (len(panel.dates), len(panel.maturities))
    assert not np.isinf(panel.values).any()


def sound_market(market: cs.Market) -> cs.Market:
    """A market has days, and their prices are numbers."""
    assert len(market) > 0
    assert all(np.isfinite(day.prices).all() and (day.prices > 0).all() for day in market)
    return market


VALUES = [
    *("true", "false", "1", "-1", "0", "1e308", "-1e-308", "nan", "inf", "-inf", "9" * 5000, "[]"),
    *(
        "{}",
        "[[1]]",
        '""',
        '"x"',
        "'3Y'",
        "2024-06-03",
        "2024-06-03T00:00:00",
        "00:00:00",
        "[1, 2]",
    ),
    *(
        "{a = 1}",
        '{"3Y" = 1}',
        "[[[[[[[[[[[[1]]]]]]]]]]]]",
        "0x" + "f" * 5000,
        '"' + "a" * 5000 + '"',
    ),
    *(
        "[1e5, -1e5]",
        '"%Y%Y"',
        '"%"',
        '"\\u0000"',
        "[{a = 1}]",
        '"idna"',
        '"utf-16"',
        "1_000",
        "+0",
    ),
    *(
        "[" * 3000 + "]" * 3000,
        "{a=" * 2000 + "1" + "}" * 2000,
        '["3Y", "5Y"]',
        '"lm"',
        '"bp"',
        "0.5",
    ),
]


def settings_file(chance: random.Random, folder: Path) -> Try:
    """A TOML file with odd values, names or signs."""
    lines = TOML.splitlines()
    for _ in range(chance.randint(0, 4)):
        i = chance.randrange(len(lines))
        key = lines[i].partition(" = ")[0]
        choice = chance.random()
        if choice < 0.5 and " = " in lines[i]:
            lines[i] = f"{key} = {chance.choice(VALUES)}"
        elif choice < 0.7:
            lines.insert(i, f"{_name(chance)} = {chance.choice(VALUES)}")
        elif choice < 0.8:
            lines.insert(i, f"[{'.'.join(_name(chance) for _ in range(chance.randint(1, 3)))}]")
        elif choice < 0.9:
            lines.insert(i, ".".join("a" * chance.choice((1, 20, 2000))) + " = 1")
        else:
            del lines[i]
    text = "\n".join(lines)
    if chance.random() < 0.3:
        text = _replace_part(chance, text)
    content = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.1:
        content = damaged_bytes(chance, content)
    path = folder / "settings.toml"
    path.write_bytes(content)
    return lambda: _checked(path, ())


def _name(chance: random.Random) -> str:
    word = chance.choice((*KEYS, *SECTIONS, "caps.units.price", "a" * 3000, '"é"', "'a.b.c'"))
    return word if chance.random() < 0.9 else word + chance.choice("x.=[ ")


def changes(chance: random.Random, folder: Path) -> Try:
    """Arguments of --set."""
    given = []
    for _ in range(chance.randint(1, 3)):
        key, value = chance.choice(PAIRS)
        if chance.random() < 0.2:
            key = f"{chance.choice(SECTIONS)}.{_name(chance)}"
        if chance.random() < 0.1:
            key = damaged_text(chance, key)
        if chance.random() < 0.5:
            value = chance.choice((*VALUES, *WORDS))
        given.append(
            f"{key}{chance.choice(('=', '=', '=', '= ', ' =')[: 5 if value else 1])}{value}"
        )
    return lambda: _checked(None, given)


def _checked(path: Path | None, given) -> tuple[MarketSettings, StudySettings]:
    return market_settings(path, given), study_settings(path, given)
