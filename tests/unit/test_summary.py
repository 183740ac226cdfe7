"""The rules of the summary, one by one, and how they are put together."""

import dataclasses
import string

import numpy as np
import pytest

import calibscope as cs
from calibscope.diagnosis import facts
from calibscope.diagnosis.flags import MEANINGS, Flags, meaning
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.diagnosis.summary import RULES, summary

NAMES = [field.name for field in dataclasses.fields(Flags)]
FACTS = {
    "quotes": "quotes", "edof": 4, "parameters": "5", "bounds": "rho_xy is at its bound",
    "lever": "the fit is nearly forced through the 3Y quote (leverage 0.99)",
    "full": "All five parameters are identified",
    "forced": "3Y is met whatever it says (leverage 1)",
    "combination": "a_x up and sigma_x up together leave all prices unchanged",
    "curvature": "up to 26 %", "influencer": "30Y", "cook": "7.3", "outlier": "15Y is an outlier",
}  # fmt: skip


def flags(*raised):
    return Flags(**{name: name in raised for name in NAMES})


@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        ((), "All five parameters are identified; no quote decides alone."),
        (
            ("has_parameters_at_bound",),
            "All five parameters are identified; rho_xy is at its bound; no quote decides alone.",
        ),
        (("has_rank_loss",), "Reduced EDoF (4 of 5); no quote decides alone."),
        (
            ("has_rank_loss", "has_unidentified_parameters"),
            "Reduced EDoF (4 of 5): a_x up and sigma_x up together leave all prices unchanged; "
            "no quote decides alone.",
        ),
        (
            ("has_no_information", "has_rank_loss"),
            "The quotes determine no parameter; no fit to speak of.",
        ),
        (
            ("has_leverage_near_one",),
            "All five parameters are identified; the fit is nearly forced through the 3Y quote "
            "(leverage 0.99).",
        ),
        (
            ("has_leverage_near_one", "has_forced_quote"),
            "All five parameters are identified; 3Y is met whatever it says (leverage 1).",
        ),
    ],
)
def test_the_first_sentence(raised, sentence):
    assert summary(flags(*raised), FACTS) == sentence


@pytest.mark.parametrize(
    ("raised", "caution"),
    [
        ("is_off_optimum", "This is not an optimum, so read little into the rest."),
        (
            "is_saturated",
            "There are too few quotes to tell noise from fit, so intervals need a known noise "
            "(scale=0.003).",
        ),
        ("is_perfect", "All quotes are met exactly, so there is no noise to measure."),
        (
            "has_indefinite_hessian",
            "The fit is not a strict minimum, so predicted shifts of parameters are meaningless.",
        ),
        (
            "has_strong_curvature",
            "The linear approximation is up to 26 % off here, so check predicted shifts by refits.",
        ),
        (
            "lacks_robust_scale",
            "There is no robust scale of the noise.",
        ),
        (
            "has_influential_quote",
            "Removing 30Y would change the parameters substantially (Cook's distance 7.3).",
        ),
        ("has_large_residual", "15Y is an outlier."),
        (
            "has_masking",
            "A few large residuals inflate the noise estimate.",
        ),
    ],
)
def test_each_caution(raised, caution):
    assert (
        summary(flags(raised), FACTS)
        == f"All five parameters are identified; no quote decides alone. {caution}"
    )


def test_every_caution_is_tested_and_two_are_said_at_most():
    cautions = [rule for rule in RULES if rule.topic == "caution"]
    assert len(cautions) == 9
    said = summary(flags(*(flag for rule in cautions for flag in rule.flags)), FACTS)
    assert said == (
        "All five parameters are identified; no quote decides alone. This is not an optimum, so "
        "read little into the rest; there are too few quotes to tell noise from fit, so intervals "
        "need a known noise (scale=0.003)."
    )


def test_every_flag_has_a_meaning_which_names_its_threshold():
    assert list(MEANINGS) == NAMES
    settings = DiagnosisSettings(masking=3.0, curvature=0.25, cooks_distance=4.0)
    assert "above 3 times" in meaning("has_masking", settings)
    assert "more than 25 %" in meaning("has_strong_curvature", settings)
    assert "above 4" in meaning("has_influential_quote", settings)


def test_the_facts_here_are_those_that_a_diagnosis_looks_up():
    assert set(FACTS) == set(facts.FACTS)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.topic}-{'+'.join(rule.flags)}")
def test_every_rule_asks_for_flags_and_facts_that_exist(rule):
    assert set(rule.flags) <= set(NAMES)
    assert {name for _, name, _, _ in string.Formatter().parse(rule.text) if name} <= set(FACTS)
    assert rule.applies(flags(*rule.flags))
    assert not any(rule.applies(flags(*rule.flags[1:])) for _ in rule.flags[:1])


def test_a_large_residual_accuses_a_quote_only_if_no_other_explains_the_day():
    """An error of 5 % at 3Y: the fit follows it, and the largest residual is at 4Y."""
    day = cs.demo_market().day("2022-07-21")
    noise = np.random.default_rng(4).normal(size=13)
    prices = cs.G2(0.5, 0.05, 0.012, 0.011, -0.7).prices(day) * (1 + 0.003 * noise)
    for size in (-0.05, 0.05):
        moved = prices * np.append(1 + size, np.ones(12))
        dx = cs.diagnose(cs.calibrate(dataclasses.replace(day, prices=moved)))
        assert "4Y is an outlier" not in dx.summary
    prices[6] *= 1.1
    dx = cs.diagnose(cs.calibrate(dataclasses.replace(day, prices=prices)))
    assert "9Y is an outlier" in dx.summary
    assert dx.refits.outliers().verdicts[6] == "outlier"


@pytest.mark.parametrize("date", ["2017-01-11", "2017-02-10", "2017-04-13"])
def test_beside_a_bound_no_quote_is_accused_that_refits_acquit(date):
    """To first order 3Y explains these days; without it they are met hardly better."""
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day(date)))
    assert dx.flags.has_large_residual
    assert "is an outlier" not in dx.summary
    assert "the residual of 3Y is larger than chance allows" in dx.summary.lower().replace(
        "3y", "3Y"
    )
    assert set(dx.refits.outliers().verdicts) == {"in line"}


def test_without_quick_refits_nobody_is_accused_unless_they_are_known():
    day = cs.demo_market().day("2022-07-21")
    noise = np.random.default_rng(4).normal(size=13)
    prices = cs.G2(0.5, 0.05, 0.012, 0.011, -0.7).prices(day) * (1 + 0.003 * noise)
    prices[6] *= 1.1
    # Bounds that differ between the factors: no compiled search.
    bounds = {"sigma_x": (1e-5, 0.5)}
    fit = cs.calibrate(dataclasses.replace(day, prices=prices), bounds=bounds)
    dx = cs.diagnose(fit)
    assert not dx.refit.is_quick
    assert "he residual of 9Y is larger than chance allows" in dx.summary
    assert dx.refits.outliers().verdicts[6] == "outlier"
    assert "9Y is an outlier" in dx.summary
