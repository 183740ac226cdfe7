"""One market in every layout is read to the identical market, through the public entry point."""

import pytest
from click.testing import CliRunner
from golden_layouts import golden_layouts

import calibscope as cs
from calibscope.cli import main

LAYOUTS = {one.name: one for one in golden_layouts()}
SURFACES = {one.name: one for one in golden_layouts("surface")}


def read(layout):
    return cs.read_market(layout.caps, layout.curve, settings=layout.settings)


@pytest.fixture(scope="module")
def expected():
    return read(LAYOUTS["long"])


def test_the_market_is_what_was_written(expected):
    assert len(expected) == 5
    assert [str(finding) for finding in expected.dropped] == [
        "caps.csv: 2024-06-04: price is missing at 5Y; 2 quotes can be used, and an incomplete day "
        "needs 3 (checks.fewest_quotes)",
    ]


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_gives_the_identical_market(name, expected):
    market = read(LAYOUTS[name])
    assert market.dates == expected.dates
    assert market.fingerprint == expected.fingerprint
    assert len(market.dropped) == len(expected.dropped)
    assert [finding.message for finding in market.warnings] == [
        finding.message for finding in expected.warnings
    ]


@pytest.mark.parametrize("name", SURFACES)
def test_every_layout_gives_the_identical_surface(name):
    market, expected = read(SURFACES[name]), read(SURFACES["long"])
    assert market.labels == (
        "3Y", "3Y floor @1%", "5Y", "5Y @2%", "5Y @4%", "5Y floor @1%", "10Y", "10Y @2%",
        "10Y @4%", "10Y floor @1%",
    )  # fmt: skip
    assert [len(day.prices) for day in market] == [10, 10, 10, 9, 10, 10]
    assert market.fingerprint == expected.fingerprint
    assert not market.dropped
    assert [finding.message for finding in market.warnings] == [
        finding.message for finding in expected.warnings
    ]
    assert [finding.message.split(";")[0] for finding in market.incomplete] == [
        "normal_vol is missing at 5Y @2%"
    ]


def test_caps_and_curve_in_one_file_need_no_second_name(expected):
    assert cs.read_market(LAYOUTS["combined"].caps).fingerprint == expected.fingerprint


def test_check_takes_the_strikes_from_a_file_of_their_own():
    wide = LAYOUTS["wide"]
    arguments = ["check", str(wide.caps["price"]), "--strikes", str(wide.caps["strike"])]
    result = CliRunner().invoke(main, [*arguments, "--curve", str(wide.curve)])
    assert result.exit_code == 3, result.output
    assert "5 of 6 days can be used" in result.output
    assert "strikes given" in " ".join(result.output.split())
