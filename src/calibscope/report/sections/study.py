"""The report of a study: a committee edition of a few pages, and an appendix behind it."""

import datetime

from calibscope import __version__
from calibscope.base.numbers import counted
from calibscope.report.document import SYNTHETIC, Block, Callout, Document, Section, section
from calibscope.report.sections.appendix import results
from calibscope.report.sections.appendix.data import data
from calibscope.report.sections.appendix.glossary import glossary, terms
from calibscope.report.sections.appendix.reproduce import reproduce
from calibscope.report.sections.appendix.review import refits, review
from calibscope.report.sections.committee.assumptions import assumptions
from calibscope.report.sections.committee.box import box_of
from calibscope.report.sections.committee.decides import decides
from calibscope.report.sections.committee.fit import fit
from calibscope.report.sections.committee.history import history
from calibscope.report.sections.committee.identified import identified
from calibscope.report.sections.committee.limits import limits
from calibscope.report.sections.committee.sign_off import sign_off
from calibscope.report.sections.models import model_section
from calibscope.report.sections.robustness import robustness_blocks
from calibscope.report.sections.study_quotes import quoted_kinds
from calibscope.study.statistics.periods import is_small
from calibscope.study.statistics.stored_day import stored_day
from calibscope.study.study import Study

OVER_TIME = (
    results.fit, results.influence, results.identifiability, results.uncertainty, results.regimes
)  # fmt: skip


def study_document(study: Study) -> Document:
    """The report: what a committee reads and signs, and what stands behind it."""
    market = study.runs["market"].iloc[-1] if len(study.runs) else "no market"
    title = study.model_of(study.model).title
    has_results = len(study.fitted) > 0
    return Document(
        title="How far can these calibrations be trusted?",
        subtitle=f"{title} calibrated to {quoted_kinds(study)}: {market}",
        sections=_committee(study) if has_results else (_without_results(study),),
        label=SYNTHETIC if study.is_synthetic else "",
        footer=f"calibscope {__version__}, {datetime.date.today()}. Made from {study.path.name}.",
        appendix=_appendix(study) if has_results else (reproduce(study),),
        terms=terms() if has_results else (),
    )


def _committee(study: Study) -> tuple[Section, ...]:
    day = stored_day(study)
    return (
        section("verdict", "May the latest calibration be used?", box_of(study, day)),
        assumptions(study, day),
        fit(study, day),
        decides(study, day),
        identified(study, day),
        history(study),
        limits(study),
        sign_off(study),
    )


def _appendix(study: Study) -> tuple[Section, ...]:
    over_time = () if is_small(study) else tuple(make(study) for make in OVER_TIME)
    found = (
        review(study), data(study), *over_time, refits(study), model_section(study),
        _robustness(study), reproduce(study), glossary(),
    )  # fmt: skip
    return tuple(part for part in found if part is not None)


def _without_results(study: Study) -> Section:
    """What there is to say where no day could be calibrated."""
    blocks: list[Block | str] = [Callout(study.unfinished_run)] if study.unfinished_run else []
    for day in study.days.itertuples():
        blocks.append(f"{day.date:%Y-%m-%d} has no result: {day.reason}")
    words = counted(len(study.days), "day has no result.", "days have no results.")
    return section(
        "verdict", "No calibration", words if len(study.days) else "The study has no days.", *blocks
    )


def _robustness(study: Study) -> Section:
    found = study.robustness
    if found.empty:
        text = "No variants were computed. `calibscope robustness ... --store` adds them."
        return section("robustness", "Robustness", text)
    return section(
        "robustness",
        "Robustness",
        f"{counted(len(found) - 1, 'variant')}, computed on {found['days'].iloc[0]:,} of "
        f"{counted(len(study.fitted), 'day')}.",
        *robustness_blocks(found),
    )
