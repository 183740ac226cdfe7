"""Inputs under random damage: an explained error or a sound answer, never anything else.

``python benchmarks/fuzz_inputs.py`` tries 100,000 of them; these are 2,000.
"""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibscope.market.readers import read_panels
from calibscope.market.settings import FileSettings
from fuzz_inputs import FIRST, outcome
from hostile_files import TEXTS

COUNTS = {
    "csv": 1_000, "parquet": 260, "excel": 40, "toml": 200, "set": 200, "curve": 90, "day": 90,
    "model": 20, "calibrate": 10, "least squares": 90,
}  # fmt: skip


def test_there_are_two_thousand():
    assert sum(COUNTS.values()) == 2_000


@pytest.mark.parametrize("kind", COUNTS)
def test_hostile_input_is_refused_or_read_soundly(kind, tmp_path):
    ends = [outcome(kind, seed, tmp_path) for seed in range(FIRST, FIRST + COUNTS[kind])]
    broken = {FIRST + i: end for i, end in enumerate(ends) if end not in ("refused", "sound")}
    assert not broken
    assert set(ends) == {"refused", "sound"}  # or the inputs are all alike


def read(content, folder):
    (folder / "caps.csv").write_bytes(content)
    return read_panels(folder / "caps.csv", FileSettings(), "caps")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("read")


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=25)
@given(data=st.data())
def test_what_changes_no_value_changes_nothing(name, folder, data):
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
    panels = read(written.getvalue().encode(encoding), folder)
    expected = read(text.encode(), folder)
    assert len(panels) == len(expected)
    for one, other in zip(panels, expected, strict=True):
        assert one.quantity == other.quantity
        np.testing.assert_array_equal(one.dates, other.dates)
        np.testing.assert_array_equal(one.maturities, other.maturities)
        np.testing.assert_array_equal(one.values, other.values)
        assert one.kinds == other.kinds
        for ours, theirs in (
            (one.strikes, other.strikes), (one.is_atm, other.is_atm),
            (one.is_interpolated, other.is_interpolated),
        ):  # fmt: skip
            assert (ours is None) == (theirs is None)
            np.testing.assert_array_equal(ours, theirs)
