"""What `calibscope run` and `calibscope demo` show of a study: one screen, and the long form."""

from collections.abc import Iterator

from rich.console import RenderableType

from calibscope.base.numbers import counted, percent
from calibscope.report.answer import answer_of_study
from calibscope.report.document import Document, Heading, Paragraph, Section, section
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections import study_blocks as shared
from calibscope.report.sections.answer import answer_screen
from calibscope.report.sections.models import model_blocks
from calibscope.report.sections.plausible import plausible_sentence
from calibscope.study.statistics.by_quote import partly_quoted
from calibscope.study.statistics.completeness import incomplete_days
from calibscope.study.statistics.misfit import noise_sentence
from calibscope.study.study import Study

RED_DAYS = 3  # that are listed
MORE = "The others are in study.rag and study.challenger_fits."


def study_page(study: Study) -> RenderableType:
    """The long form in the terminal."""
    return on_terminal(study_document(study))


def study_screen(study: Study, is_full: bool = False) -> Document:
    """May the calibration of the latest day be used? And how many days are rated how.

    Parameters
    ----------
    is_full : give every reason, also if there are many
    """
    if study.days.empty:
        return Document(f"{study!r}: no day has results; study.days says why", "", ())
    return answer_screen(answer_of_study(study), beside=tuple(_history(study)), is_full=is_full)


def study_document(study: Study) -> Document:
    """Fit, three reference dates, leverage profile, EDoF levels, active bounds, red days."""
    if study.fitted.empty:
        return Document(f"{study!r}: no day has results; study.days says why", "", ())
    several = len(study.models) > 1
    return Document(
        title=_headline(study),
        subtitle="",
        sections=(
            section("fit", "", _dates(study), *shared.reference_blocks(study)),
            _leverage(study),
            _identifiability(study),
            _review(study),
            *([section("models", "Which model?", *model_blocks(study))] if several else []),
        ),
    )


def _history(study: Study) -> Iterator[str]:
    """All days in a sentence, and the latest day of the other models in one each."""
    first, last = (study.days["date"].iloc[place].date() for place in (0, -1))
    if first != last:
        yield f"{first} to {last}: {shared.rag_sentence(study)}"
    for name in study.installed_models:
        if name != study.model:
            yield _of_model(study.of(name))


def _of_model(study: Study) -> str:
    rated, day = study.rag.iloc[-1], study.days.iloc[-1]
    title = study.model_of(study.model).title
    why = f" ({rated['reasons']})" if rated["reasons"] else ""
    return f"{title}: RMSRE {percent(day['rmsre'])}, {rated['rag']}{why}."


def _leverage(study: Study) -> Section:
    partly = partly_quoted(study)
    return section(
        "leverage",
        "Which quotes decide the fit?",
        shared.leverage_table(study),
        Paragraph(partly, is_note=True) if partly else None,
        is_beside=True,
    )


def _identifiability(study: Study) -> Section:
    return section(
        "identifiability",
        "How much do they determine?",
        shared.edof_table(study),
        Paragraph(shared.switch_sentence(study), is_note=True),
        Heading("Which bounds hold parameters?"),
        shared.bound_table(study),
    )


def _review(study: Study) -> Section:
    return section(
        "review",
        "Which days need review?",
        shared.rag_sentence(study),
        shared.red_day_table(study, RED_DAYS),
        Paragraph(MORE, is_note=True) if len(shared.red_days(study)) > RED_DAYS else None,
    )


def _headline(study: Study) -> str:
    lost = len(study.days) - len(study.fitted)
    days = counted(len(study.fitted), "day")
    text = f"{study.runs['market'].iloc[-1]}: {days} calibrated and diagnosed"
    text += f", {lost:,} without results" if lost else ""
    return f"SYNTHETIC {text}" if study.is_synthetic else text


def _dates(study: Study) -> str:
    first, last = (study.days["date"].iloc[place].date() for place in (0, -1))
    said = (
        shared.fit_sentence(study), incomplete_days(study), plausible_sentence(study),
        noise_sentence(study),
    )  # fmt: skip
    return " ".join((f"{first} to {last}.", *filter(None, said)))
