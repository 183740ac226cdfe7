"""Readers under random damage: an explained error or a sound panel, never anything else."""

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibscope.market.errors import MarketDataError
from calibscope.market.panel import Panel
from calibscope.market.readers import read_panels
from calibscope.market.settings import FileSettings

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
}

texts = st.sampled_from(list(TEXTS.values()))
junk = st.text(
    st.one_of(
        st.sampled_from(list("0123456789.,;:|/-+eE%\"'#\t \r\n\0_")),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=4,
)
words = st.one_of(
    junk,
    st.sampled_from(["", "date", "maturity", "price", "3Y", "36M", "ON", "999Y", "45446", "TRUE"]),
    st.sampled_from(["1e999", "nan", "inf", "-0", "1,234", "1.234", "1.234.567", "5%", "1_0", "٣"]),
    st.sampled_from(["5 €", "EUR 1,200.50", "1,234,567", "#NV"]),
    st.sampled_from(["20240603", "2024-02-30", "03/06/2024", "06/13/2024", "3.6.24"]),
    st.sampled_from(["2024-06-03 00:00:00", "2024-06-03T12:00"]),
)
some_settings = st.sampled_from(
    [
        FileSettings(),
        FileSettings(decimal=","),
        FileSettings(date_format="dmy"),
        FileSettings(date_format="%Y-%m-%d"),
        FileSettings(delimiter=";"),
        FileSettings(header_row=2),
        FileSettings(layout="blocks"),
        FileSettings(columns={"3Y": "date"}),
        FileSettings(columns={"comment": "price", "price": "ignore"}, missing=("fine",)),
        FileSettings(encoding="utf-16"),
    ]
)


@st.composite
def damaged(draw):
    """A good text with up to four things done to it, as bytes."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        text = draw(st.sampled_from(DAMAGES))(draw, text)
    content = text.encode("utf-8", "surrogatepass")
    if draw(st.booleans()):
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.binary(max_size=3)) + content[at:]
    return content


def _replace_part(draw, text):
    start = draw(st.integers(0, len(text)))
    return text[:start] + draw(junk) + text[start + draw(st.integers(0, 6)) :]


def _swap_signs(draw, text):
    if len(text) < 2:
        return text
    at = draw(st.integers(0, len(text) - 2))
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _change_delimiter(draw, text):
    return text.replace(draw(st.sampled_from(",;.")), draw(st.sampled_from(",;|\t .")))


def _damage_rows(draw, text):
    rows = text.splitlines(keepends=True)
    return "".join(draw(st.permutations(rows))[: draw(st.integers(0, len(rows)))] + rows[:1])


def _replace_cell(draw, text):
    rows = [line.split(",") for line in text.split("\n")]
    row = draw(st.sampled_from(rows))
    row[draw(st.integers(0, len(row) - 1))] = draw(words)
    return "\n".join(map(",".join, rows))


def _shuffle_columns(draw, text):
    rows = [line.split(",") for line in text.split("\n")]
    order = draw(st.permutations(range(len(rows[0]))))
    return "\n".join(",".join(row[k] for k in order if k < len(row)) for row in rows)


DAMAGES = [
    _replace_part,
    _swap_signs,
    _change_delimiter,
    _damage_rows,
    _replace_cell,
    _replace_cell,
    _shuffle_columns,
]


def read(content, options=None, name="caps.csv"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            return read_panels(path, options or FileSettings(), "caps")
        finally:
            assert [file.name for file in Path(folder).iterdir()] == [name]


def assert_explained_or_sound(content, options=None, name="caps.csv"):
    try:
        panels, problems = read(content, options, name), None
    except MarketDataError as error:
        panels, problems = [], error.problems
    assert panels or problems
    assert all(problem.strip() and "\n" not in problem for problem in problems or ())
    for panel in panels:
        assert_sound(panel)


def assert_sound(panel: Panel):
    assert panel.dates.dtype == "datetime64[D]"
    assert not np.isnat(panel.dates).any()
    assert (np.diff(panel.dates).astype(int) > 0).all()
    assert panel.maturities.dtype == panel.values.dtype == np.float64
    assert np.isfinite(panel.maturities).all()
    assert (np.diff(panel.maturities) > 0).all()
    assert panel.values.shape == (len(panel.dates), len(panel.maturities))
    assert not np.isinf(panel.values).any()


@settings(max_examples=600)
@given(damaged(), some_settings)
def test_damaged_text_is_explained_or_read_soundly(content, options):
    assert_explained_or_sound(content, options)


@settings(max_examples=100)
@given(st.data(), st.sampled_from(["excel_wide/market.xlsx", "parquet_wide/caps_price.parquet"]))
def test_damaged_binary_files_are_explained_or_read_soundly(data, name):
    original = (Path(__file__).parents[1] / "golden/market" / name).read_bytes()
    start = data.draw(st.integers(0, len(original)))
    stop = data.draw(st.integers(start, min(start + 50, len(original))))
    content = original[:start] + data.draw(st.binary(max_size=20)) + original[stop:]
    assert_explained_or_sound(content, name=Path(name).name)


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=25)
@given(data=st.data())
def test_what_changes_no_value_changes_nothing(name, data):
    text = TEXTS[name]
    delimiter = ";" if name == "german" else ","
    header, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    rows = data.draw(st.permutations(rows))
    blanks = data.draw(st.integers(0, 3))
    for _ in range(blanks):
        row = data.draw(st.sampled_from([[], [""] * len(header), [" "] * len(header)]))
        rows.insert(data.draw(st.integers(0, len(rows))), row)
    written = io.StringIO()
    csv.writer(
        written,
        delimiter=data.draw(st.sampled_from([delimiter, "\t", "|", ";"])),
        quoting=data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=data.draw(st.sampled_from(["\n", "\r\n", "\r"])),
    ).writerows([header, *rows])
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig"]))
    panels = read(written.getvalue().encode(encoding))
    expected = read(text.encode())
    assert len(panels) == len(expected)
    for one, other in zip(panels, expected, strict=True):
        assert one.quantity == other.quantity
        np.testing.assert_array_equal(one.dates, other.dates)
        np.testing.assert_array_equal(one.maturities, other.maturities)
        np.testing.assert_array_equal(one.values, other.values)
