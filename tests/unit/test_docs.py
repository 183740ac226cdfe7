"""What the documentation says about settings is what the code does."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.settings import MarketSettings
from calibscope.study.settings import CalibrationSection, GovernanceSection, study_settings

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
BLOCK = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)


def test_the_settings_that_are_shown_are_the_defaults():
    assert MarketSettings.from_mapping(tomllib.loads(BLOCK)) == MarketSettings()


def test_every_setting_is_shown_and_every_example_is_valid():
    uncommented = re.sub(r"^# ", "", BLOCK, flags=re.MULTILINE)
    content = tomllib.loads(uncommented)
    settings = MarketSettings.from_mapping(content)
    assert settings.caps.date_format == "dmy"
    for section in ("caps", "conventions", "checks"):
        shown, known = set(content[section]), set(type(getattr(settings, section)).model_fields)
        assert shown == known


def test_the_messages_in_the_readme_are_what_is_printed():
    readme = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    examples = PAGE.parents[1] / "examples"
    with pytest.raises(cs.MarketDataError) as error:
        cs.read_market(
            examples / "caps.csv", examples / "ois.csv",
            settings={"caps": {"units": {"price": "percent"}}},
        )  # fmt: skip
    assert f"Error: {error.value}\n" in readme
    with pytest.raises(cs.MarketDataError) as error:
        cs.MarketDay.from_arrays(
            curve=cs.DiscountCurve.from_zero_rates([30], [0.02]),
            maturities=[3, 5.2, 7], prices=[0.01, 0.02, -0.002], date="2020-03-18",
        )  # fmt: skip
    assert f"\n{error.value}\n" in readme


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    code = re.search(r"In Python.*?```python\n(.*?)```", readme, re.DOTALL).group(1)
    code = code.replace('"examples/', f'"{PAGE.parents[1]}/examples/')
    exec(compile(code, "README", "exec"), {})


PAGES = (
    "calibration", "consequences", "diagnosis", "exact", "leverage-theory", "study",
)  # fmt: skip


@pytest.mark.parametrize("name", [f"{page}.md" for page in PAGES])
def test_the_python_of_a_page_runs(name):
    page = (PAGE.parent / name).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    exec(compile(code, name, "exec"), {})


def test_the_table_of_ranks_is_what_the_demo_market_gives():
    page = (PAGE.parent / "diagnosis.md").read_text(encoding="utf-8")
    spectrum = cs.diagnose_many(cs.calibrate_many(cs.demo_market()))
    for tolerance, start in ((1.5e-8, "tolerance 1.5e-8"), (1e-10, "1e-10"), (1e-6, "1e-6")):
        counts = spectrum.stacks[0].edof_at(tolerance)
        row = " | ".join(f"{np.sum(counts == edof):,}" for edof in (5, 4, 3))
        assert re.search(rf"^\| {re.escape(start)}.*\| {row} \|$", page, re.MULTILINE), row


def test_the_settings_of_a_study_that_are_shown_are_the_defaults():
    page = (PAGE.parent / "study.md").read_text(encoding="utf-8")
    block = re.search(r"```toml\n(.*?)```", page, re.DOTALL).group(1)
    assert study_settings(tomllib.loads(block)) == study_settings(None)
    uncommented = re.sub(r"^# (?=bounds|fixed)", "", block, flags=re.MULTILINE)
    content = tomllib.loads(uncommented)
    study_settings(content)
    assert set(content["calibration"]) == set(CalibrationSection.model_fields)
    assert set(content["governance"]) == set(GovernanceSection.model_fields)
