"""What is identified: parameters that the quotes narrow down, and those that they leave open."""

from calibscope.base.numbers import counted
from calibscope.report.document import Section, section
from calibscope.report.drawings.interval_ranges import interval_ranges
from calibscope.report.sections.committee.verdict import every_parameter
from calibscope.report.sections.models import support_sentences
from calibscope.report.sections.plausible import plausible_sentence
from calibscope.study import statistics
from calibscope.study.statistics.periods import as_often, is_small, of_days
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study


def identified(study: Study, day: StoredDay) -> Section:
    """The latest day in its own words, its intervals, and how often it is so."""
    return section(
        "identified",
        "What is identified",
        f"**{day.date:%Y-%m-%d}.** {day.summary}",
        interval_ranges(study, day),
        _history(study),
        *support_sentences(study),
    )


def _history(study: Study) -> str:
    fitted = study.fitted
    names = len(study.specs)
    full = fitted["lost_directions"] == 0
    text = (
        f"The quotes determine {every_parameter(names)} on {of_days(full)}, "
        f"and a parameter is at a bound on {as_often(fitted['has_parameters_at_bound'])}."
    )
    if not is_small(study):
        switches = int(statistics.edof_switches(study)["switches"].sum())
        often = f"changes from one day to the next {counted(switches, 'time')}"
        text += f" EDoF {often if switches else 'never changes'}."
    return f"{text} {plausible_sentence(study)}".strip()
