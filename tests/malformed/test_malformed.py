"""Every malformed input gets an error that names file, place and remedy, and nothing else."""

import re

import numpy as np
import pytest
from corpus import CASES, CHECK_CASES, READER_CASES

from calibscope.base.errors import SettingsError
from calibscope.market.errors import MarketDataError
from calibscope.market.readers import read_panels
from calibscope.market.settings import MarketSettings

# What is wrong with a file as a whole has no other place.
PLACE = re.compile(
    r"row \d+|column|sheet|setting|line \d+|^\d{4}-\d\d-\d\d, "
    r"|^(caps|curve|conventions|checks)\.\w+|^cap:|such file|the ending|workbook|as Parquet|UTF-16"
)
REMEDY = re.compile(
    r"[;?,] (did you mean|choose (one|from)|give|say|set|save|export|write|repair|rename|map|name"
    r"|put|correct|use|fill|remove|keep|a decimal comma|is it|was the)"
    r"|\? Set|: use|should be|\(at line"
)


def read(folder, case):
    settings = MarketSettings.from_toml(folder / "settings.toml")
    read_panels(folder / case.caps_file, settings.caps, "caps")
    read_panels(folder / case.curve_file, settings.curve, "curve")


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_corpus_is_large_and_distinct():
    assert len(READER_CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", READER_CASES, ids=lambda case: case.name)
def test_malformed_input_is_explained(case, tmp_path):
    case.write(tmp_path)
    before = content(tmp_path)
    expected = SettingsError if case.bad == "settings" else MarketDataError
    with pytest.raises(expected) as caught:
        read(tmp_path, case)
    error = caught.value
    assert error.where.endswith(case.bad_file)
    for part in case.says:
        assert part in str(error)
    for problem in error.problems:
        assert "\n" not in problem
        assert PLACE.search(problem)
        assert REMEDY.search(problem)
    assert content(tmp_path) == before


@pytest.mark.parametrize("case", CHECK_CASES, ids=lambda case: case.name)
def test_what_only_the_assembly_sees_is_read_without_complaint(case, tmp_path):
    case.write(tmp_path)
    read(tmp_path, case)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(MarketDataError, match="is a folder; give a file in it"):
        read_panels(tmp_path, MarketSettings().caps, "caps")


@pytest.mark.parametrize("thing", [np.eye(2), ["a.csv", "b.csv"], None, 3, {"price": np.eye(2)}])
def test_what_is_no_file_is_named(thing):
    with pytest.raises(MarketDataError, match="is not a file; give the name of a file, or one per"):
        read_panels(thing, MarketSettings().caps, "caps")
