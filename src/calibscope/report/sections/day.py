"""The page of one calibrated day: what `calibscope day` shows, with and without --html."""

import datetime

import numpy as np

from calibscope import __version__
from calibscope.base.numbers import BASIS_POINTS, PERCENT, Unit, estimate, number, percent
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.settings import LEVELS, USUAL, DiagnosisSettings
from calibscope.market.instruments.kept import interpolated
from calibscope.report.answer import answer_of_fit
from calibscope.report.document import (
    SYNTHETIC,
    Callout,
    Cell,
    Column,
    Document,
    Heading,
    Paragraph,
    Range,
    Section,
    Table,
    collapsible,
    drawn,
    section,
    table,
)
from calibscope.report.figures.markup import literal
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.sections import diagnosis, next_steps
from calibscope.report.sections.answer import answer_screen, answer_section
from calibscope.report.sections.further import (
    every_number_of_parameters,
    every_number_of_quotes,
    every_number_of_the_day,
    further_measures,
)
from calibscope.report.sections.refits import fitted_again
from calibscope.study.diagnosed import Diagnosed, diagnosed
from calibscope.study.rated_fit import RatedDay

NOISE_UNITS = {"rmsre": PERCENT, "absolute": Unit("bp price", 1e4), "vega": Unit("bp vol", 1e4)}
BOUND_WORDS = {-1: "at the lower bound", 0: "", 1: "at the upper bound"}


def day_document(
    fit: Fit,
    source: str,
    is_synthetic: bool = False,
    thresholds: DiagnosisSettings = USUAL,
    refits: RefitAnswers | None = None,
    history: str = "",
    rated: RatedDay | None = None,
) -> Document:
    """Summary, market against model, leverage, uncertainty, other optima, and refits.

    Parameters
    ----------
    source : the market's name
    is_synthetic : say so
    thresholds : of the diagnosis
    refits : answers from fitting again, which get a section of their own
    history : what the day's study says of its noise
    rated : its RAG status, if it is known
    """
    day = fit.problem.day
    note = "SYNTHETIC market" if is_synthetic else literal(source)
    unit = NOISE_UNITS.get(fit.problem.weighting, Unit("(weighted)"))
    dx, full = diagnose(fit, settings=thresholds), diagnose(fit, "full", thresholds)
    ((_, sample),) = diagnosed([fit], settings=thresholds)
    quoted = f"{len(day.prices)} {day.quoted_as}"
    return Document(
        title=f"How far can the calibration of {day.date or 'this day'} be trusted?",
        subtitle=f"{fit.problem.model.title} fitted to {quoted}, single curve: {source}",
        sections=(
            *_answer(fit, dx, rated, source, is_synthetic),
            _summary(fit, dx, full, sample, history),
            _fit(fit, note),
            _leverage(fit, dx, full, sample, note),
            _uncertainty(dx, full, sample, unit, note),
            _optima(fit, note),
            *([] if refits is None else [fitted_again(refits, unit, note)]),
            *filter(None, [further_measures(sample)]),
        ),
        label=SYNTHETIC if is_synthetic else "",
        footer=f"calibscope {__version__}, {datetime.date.today()}.",
    )


def day_screen(
    fit: Fit,
    source: str,
    is_synthetic: bool,
    thresholds: DiagnosisSettings,
    refits: RefitAnswers | None,
    rated: RatedDay,
) -> Document:
    """May the calibration be used? One screen, and refits below it if there are any.

    Parameters
    ----------
    source, is_synthetic, thresholds, refits, rated : as for `day_document`
    """
    answer = answer_of_fit(fit, diagnose(fit, settings=thresholds), rated, source, is_synthetic)
    unit = NOISE_UNITS.get(fit.problem.weighting, Unit("(weighted)"))
    again = [] if refits is None else [fitted_again(refits, unit)]
    return answer_screen(answer, *again)


def _answer(
    fit: Fit, dx: Diagnosis, rated: RatedDay | None, source: str, is_synthetic: bool
) -> tuple[Section, ...]:
    """The answer first, with its parameters; leverage follows in its own section."""
    if rated is None:
        return ()
    return (answer_section(answer_of_fit(fit, dx, rated, source, is_synthetic)),)


def _summary(fit: Fit, dx: Diagnosis, full: Diagnosis, sample: Diagnosed, history: str) -> Section:
    return section(
        "summary",
        "Summary",
        f"RMSRE {percent(fit.rmsre)}. {fit.status.value} {dx.summary}",
        f"As if all parameters could move: {full.summary}" if dx.is_held.any() else None,
        None
        if fit.is_identified
        else Callout(
            "The quotes do not identify all parameters: others would price alike (condition number "
            f"{number(fit.condition_number, '.0e')})."
        ),
        *fit.evidence.sentences,
        history or None,
        _parameters(fit),
        diagnosis.flag_table(dx),
        every_number_of_the_day(sample),
    )


def _parameters(fit: Fit) -> Table:
    near_optimal, other = fit.evidence.near_optimal, fit.evidence.plausible_fit
    has_other = other is not None and not fit.evidence.is_plausible
    rows: list[list[Cell]] = [
        [
            spec.name,
            fit.parameters.values[p],
            Range(near_optimal.low[p], near_optimal.high[p]),
            other.values[p] if other is not None and has_other else "",
            BOUND_WORDS[int(fit.at_bound[p])] or spec.label,
        ]
        for p, spec in enumerate(fit.problem.specs)
    ]
    columns = (
        "parameter",
        Column("value", estimate),
        Column(f"range within {near_optimal.factor:g} x RMSRE", ".3g"),
        Column("plausible", estimate),
        "what it is",
    )
    return table("Parameters, and how far each can go while the fit stays as good", columns, rows)


def _fit(fit: Fit, note: str) -> Section:
    day = fit.problem.day
    model_vols = day.implied_normal_vols(fit.prices)
    count = len(day.prices)
    quotes = table(
        "Quotes, prices per notional",
        (
            Column(day.quoted_as.removesuffix("s"), "s"),
            Column("strike", ".3f", PERCENT),
            Column("market", ",.1f", BASIS_POINTS),
            Column("model", ",.1f", BASIS_POINTS),
            Column("error", "+.2f", PERCENT),
            Column("vol", ".1f", BASIS_POINTS),
            Column("vol error", "+.2f", BASIS_POINTS),
            Column("mark", sentence="how the file marks the quote"),
        ),
        zip(
            day.labels, day.strikes, day.prices / day.notional,
            fit.prices[:count] / day.notional, fit.residuals[:count], day.normal_vols,
            model_vols - day.normal_vols,
            ("interpolated" if mark else "" for mark in interpolated(day)), strict=True,
        ),
        bold=[int(np.abs(fit.residuals[:count]).argmax())],
    )  # fmt: skip
    return section(
        "fit",
        "Market against model",
        next_steps.next_of_fit(fit),
        drawn("market_against_model", fit, note),
        quotes,
    )


def _leverage(fit: Fit, dx: Diagnosis, full: Diagnosis, sample: Diagnosed, note: str) -> Section:
    beside = full if dx.is_held.any() else None
    return section(
        "leverage",
        "Which quotes decide the fit?",
        next_steps.next_of_leverage(dx, len(fit.problem.day.prices)),
        drawn("leverage_and_influence", dx, note, beside=beside),
        diagnosis.quote_table(dx),
        Paragraph(diagnosis.LEGEND, is_note=True),
        drawn("influence_arrows", dx, note) if _has_plane(fit) else None,
        collapsible("The hat matrix, quote by quote", drawn("hat_matrix", dx, note)),
        every_number_of_quotes(sample),
    )


def _uncertainty(
    dx: Diagnosis, full: Diagnosis, sample: Diagnosed, unit: Unit, note: str
) -> Section:
    return section(
        "identifiability",
        "How uncertain are the parameters?",
        next_steps.next_of_uncertainty(dx.intervals(LEVELS)),
        drawn("interval_chart", dx, note),
        diagnosis.interval_table(dx),
        Paragraph(" ".join(diagnosis.interval_lines(dx, full, unit)), is_note=True),
        *diagnosis.bound_lines(dx),
        *(f"{sentence}." for sentence in dx.unidentified_combinations),
        drawn("correlation_matrix", dx, note),
        Heading("What do the quotes determine?"),
        drawn("singular_spectrum", dx, note),
        *diagnosis.spectrum_lines(dx, unit),
        every_number_of_parameters(sample),
    )


def _optima(fit: Fit, note: str) -> Section:
    return section(
        "optima",
        "Is there another fit as good?",
        next_steps.next_of_optima(fit),
        drawn("local_minima.local_minima_map", fit, note) if _has_plane(fit) else None,
    )


def _has_plane(fit: Fit) -> bool:
    """Whether figures can show two parameters."""
    return len(fit.problem.specs) > 1
