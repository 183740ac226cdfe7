"""A fit alone is rated as a study rates its day, as far as the rules are about the fit."""

import pytest

import calibscope as cs
from calibscope.study.rag import Rag, Raised, rating
from calibscope.study.rated_alone import OF_QUOTES, rated_alone
from calibscope.study.study import open_study


@pytest.mark.parametrize("date", ["2020-03-11", "2020-03-12", "2020-03-18"])
def test_a_fit_is_rated_as_in_its_study(live_store, date):
    """Two days have data warnings, one of them nothing else against it but a refit."""
    study = open_study(live_store)
    fit = cs.calibrate(study.day(date), **study.settings.calibration.arguments())
    dx = cs.diagnose(fit, settings=study.settings.diagnosis.thresholds)
    rules = study.raised_rules
    own = rules[(rules["date"] == date) & ~rules["rule"].isin(OF_QUOTES)]
    expected = rating([Raised(r.rule, r.reason, Rag(r.colour)) for r in own.itertuples()])
    assert rated_alone(fit, study.settings, dx) == expected
    assert dx.summary == study.days.set_index("date").loc[date, "summary"]


def test_metrics_from_outside_count(live_store):
    cs.register_metric(
        cs.Metric("always", "day", "1", "a number", lambda sample: [7.0], amber=1.0, red=5.0)
    )
    settings = cs.study.settings.StudySettings()
    fit = cs.calibrate(open_study(live_store).day("2020-03-18"))
    assert rated_alone(fit, settings) == (Rag.RED, ("always 7",))
