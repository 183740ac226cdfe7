"""The example files are part of the built-in market, and are what the README says."""

import runpy
from pathlib import Path

import calibscope as cs

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_files_are_the_built_in_market():
    script = runpy.run_path(str(EXAMPLES / "make_files.py"))
    assert (EXAMPLES / "caps.csv").read_text(encoding="utf-8") == script["caps_text"]()
    assert (EXAMPLES / "ois.csv").read_text(encoding="utf-8") == script["curve_text"]()


def test_reading_them_gives_the_same_days():
    market, demo = cs.read_market(EXAMPLES / "caps.csv", EXAMPLES / "ois.csv"), cs.demo_market()
    assert len(market) == 51
    assert [str(finding) for finding in market.dropped] == [
        "caps.csv: 2020-03-06: price is missing at 8Y"
    ]
    expected = demo.between(market.dates[0], market.dates[-1])
    assert market.fingerprint == expected.fingerprint
    assert expected.is_synthetic
    assert not market.is_synthetic  # files cannot know
