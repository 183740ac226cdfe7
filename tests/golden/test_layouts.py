"""One market in every layout is read to the identical panels."""

import numpy as np
import pytest
from golden_layouts import golden_layouts

from calibscope.market.readers import read_panels
from calibscope.market.settings import FileSettings

LAYOUTS = {one.name: one for one in golden_layouts()}
SURFACES = {one.name: one for one in golden_layouts("surface")}
WORDS = ["", "#N/A", "#N/A N/A", "#n/a", "N/A", "NA", "NULL", "null", "nan", "NaN", "-", "--", " "]


def read(layout):
    return [
        *read_panels(layout.caps, layout.settings.caps, "caps"),
        *read_panels(layout.curve, layout.settings.curve, "curve"),
    ]


def assert_same(panels, others):
    assert [panel.quantity for panel in panels] == [panel.quantity for panel in others]
    for one, other in zip(panels, others, strict=True):
        np.testing.assert_array_equal(one.dates, other.dates)
        np.testing.assert_array_equal(one.maturities, other.maturities)
        np.testing.assert_array_equal(one.values, other.values)


def test_the_long_surface_is_what_was_written():
    vol, strike, _ = read(SURFACES["long"])
    kinds = ("cap", "floor"), *(("cap", "cap", "cap", "floor"),) * 2
    assert vol.kinds == sum(kinds, ())
    nan = np.nan
    own = [nan, 0.01, *(nan, 0.02, 0.04, 0.01) * 2]
    np.testing.assert_array_equal(vol.strikes, own)
    np.testing.assert_array_equal(vol.maturities, [3, 3, 5, 5, 5, 5, 10, 10, 10, 10])
    assert np.argwhere(np.isnan(vol.values)).tolist() == [[3, 3]]
    np.testing.assert_array_equal(strike.is_atm, np.tile(np.isnan(own), (6, 1)))
    assert set(SURFACES) == {"long", "tidy", "blanks", "german", "excel", "percents"}


@pytest.mark.parametrize("name", sorted(set(SURFACES) - {"percents"}))
def test_every_surface_gives_the_same_panels(name):
    panels, others = read(SURFACES[name]), read(SURFACES["long"])
    assert_same(panels, others)
    for one, other in zip(panels, others, strict=True):
        assert one.kinds == other.kinds
        for ours, theirs in ((one.strikes, other.strikes), (one.is_atm, other.is_atm)):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                np.testing.assert_array_equal(ours, theirs)


def test_the_long_layout_is_what_was_written():
    price, strike, factor = read(LAYOUTS["long"])
    assert [p.quantity for p in (price, strike, factor)] == ["price", "strike", "discount_factor"]
    assert price.dates.dtype == "datetime64[D]"
    assert [str(day) for day in price.dates] == [
        "2024-05-30", "2024-05-31", "2024-06-03", "2024-06-04", "2024-06-05", "2024-06-06"
    ]  # fmt: skip
    assert price.maturities.tolist() == [3.0, 5.0, 10.0]
    assert factor.maturities[:3].tolist() == [1 / 12, 0.25, 0.5]
    assert factor.values.shape == (6, 12)
    assert np.argwhere(np.isnan(price.values)).tolist() == [[3, 1]]
    assert price.source == "caps.csv"
    lines = LAYOUTS["long"].caps.read_text().splitlines()
    assert lines[1] == f"2024-05-30,3Y,price,{price.values[0, 0]}"
    assert lines[2] == f"2024-05-30,3Y,strike,{strike.values[0, 0]}"


def test_every_layout_is_there():
    assert len(LAYOUTS) == 17


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_gives_the_same_panels(name):
    assert_same(read(LAYOUTS[name]), read(LAYOUTS["long"]))


@pytest.mark.parametrize("word", WORDS)
def test_every_word_for_a_gap_gives_the_same_panels(word, tmp_path):
    text = LAYOUTS["long"].caps.read_text()
    assert text.count("#N/A") == 2
    (tmp_path / "caps.csv").write_text(text.replace("#N/A", word))
    expected = read_panels(LAYOUTS["long"].caps, FileSettings(), "caps")
    assert_same(read_panels(tmp_path / "caps.csv", FileSettings(), "caps"), expected)
