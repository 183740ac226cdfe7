"""One day on one page of HTML: what `calibscope day --html` writes."""

import datetime
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from calibscope import __version__
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.flags import meaning
from calibscope.diagnosis.settings import LEVELS, USUAL, DiagnosisSettings
from calibscope.market.maturity import label
from calibscope.report.figures.correlation_matrix import correlation_matrix
from calibscope.report.figures.geometry import geometry
from calibscope.report.figures.hat_matrix import hat_matrix
from calibscope.report.figures.influence_arrows import influence_arrows
from calibscope.report.figures.interval_chart import end_text, interval_chart
from calibscope.report.figures.leverage_and_influence import leverage_and_influence
from calibscope.report.figures.local_minima import local_minima_map
from calibscope.report.figures.market_against_model import market_against_model
from calibscope.report.figures.singular_spectrum import singular_spectrum
from calibscope.report.figures.style import literal
from calibscope.report.html.blocks import Figure, Section, Table, all_made, section, table
from calibscope.report.html.fitted_again import fitted_again
from calibscope.report.html.next_steps import (
    next_of_fit,
    next_of_leverage,
    next_of_optima,
    next_of_uncertainty,
)
from calibscope.report.html.page import new_page, page
from calibscope.report.html.write_report import SYNTHETIC
from calibscope.report.refits.answers import RefitAnswers


def write_day(
    fit: Fit,
    target: str | Path,
    source: str,
    is_synthetic: bool = False,
    thresholds: DiagnosisSettings = USUAL,
    refits: RefitAnswers | None = None,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Write a calibrated and diagnosed day as one HTML file that works offline.

    Parameters
    ----------
    fit : of `calibrate`
    target : the file; an earlier page is replaced, anything else that is there is refused
    source : the market's name
    is_synthetic : say so
    thresholds : of the diagnosis
    refits : answers from fitting again, which get a section of their own
    progress : called with how many sections are made, and of how many

    Returns
    -------
    Path
        the file that was written

    Raises
    ------
    ExportError
        if the target cannot be written, or is something else than an earlier page
    """
    path = Path(target)
    with new_page(path) as place:
        text = day_page(fit, source, is_synthetic, thresholds, refits, progress=progress)
        place.write_text(text, encoding="utf-8")
    return path


def day_page(
    fit: Fit,
    source: str,
    is_synthetic: bool = False,
    thresholds: DiagnosisSettings = USUAL,
    refits: RefitAnswers | None = None,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """The same as a text; the parameters are those of `write_day`."""
    day = fit.problem.day
    note = "SYNTHETIC market" if is_synthetic else literal(source)
    return page(
        title=f"How far can the calibration of {day.date or 'this day'} be trusted?",
        subtitle=f"{fit.problem.model.title} fitted to {len(day.prices)} {day.kind}s: {source}",
        label=SYNTHETIC if is_synthetic else "",
        sections=_sections(fit, note, thresholds, refits, progress),
        footer=f"calibscope {__version__}, {datetime.date.today()}.",
    )


def _sections(
    fit: Fit,
    note: str,
    thresholds: DiagnosisSettings,
    refits: RefitAnswers | None,
    progress: Callable[[int, int], None],
) -> list[Section]:
    dx, full = diagnose(fit, settings=thresholds), diagnose(fit, "full", thresholds)
    raised = pd.DataFrame(
        {
            "flag": dx.flags.raised,
            "meaning": [meaning(name, thresholds) for name in dx.flags.raised],
        }
    )
    has_two = len(fit.problem.specs) > 1  # parameters, for figures that show a plane of them
    makers: list[Callable[[], Section]] = [
        lambda: section(
            "summary",
            "Summary",
            f"RMSRE {fit.rmsre:.3%}. {fit.status.value} {dx.summary}",
            *fit.evidence.sentences,
            _parameters(fit, dx),
            table("Flags that are raised", raised) if len(raised) else "No flag is raised.",
        ),
        lambda: section(
            "fit", "Fit", next_of_fit(fit), Figure(market_against_model(fit, note)),
            _quotes(fit, dx),
        ),
        lambda: section(
            "leverage",
            "Leverage and influence",
            next_of_leverage(dx, len(fit.problem.day.prices)),
            Figure(leverage_and_influence(dx, note, beside=full if dx.is_held.any() else None)),
            Figure(influence_arrows(dx, note)) if has_two else None,
            Figure(hat_matrix(dx, note)),
        ),
        lambda: section(
            "identifiability",
            "Identifiability and uncertainty",
            next_of_uncertainty(dx),
            Figure(singular_spectrum(dx, note)),
            Figure(interval_chart(dx, note)),
            Figure(correlation_matrix(dx, note)),
        ),
        lambda: section(
            "optima",
            "Other optima, and the geometry of the fit",
            next_of_optima(fit),
            Figure(local_minima_map(fit, note)) if has_two else None,
            Figure(geometry(fit, note)),
        ),
    ]  # fmt: skip
    if refits is not None:
        makers.append(lambda: fitted_again(refits, note))
    return all_made(makers, progress)


def _parameters(fit: Fit, dx: Diagnosis) -> Table:
    intervals = dx.intervals(LEVELS[-1])
    return table(
        "Parameters, 95 % intervals with what must be said beside them, and multipliers of bounds",
        pd.DataFrame(
            {
                "parameter": fit.problem.specs.names,
                "estimate": [f"{value:.5g}" for value in fit.parameters.values],
                "low": [end_text(value) for value in intervals.low],
                "high": [end_text(value) for value in intervals.high],
                "mark": intervals.marks,
                "multiplier": [f"{value:.2g}" if value else "" for value in dx.multipliers],
                "in standard errors": [
                    "" if np.isnan(value) else f"{value:.2g}" for value in dx.multiplier_ratios
                ],
            }
        ),
    )


def _quotes(fit: Fit, dx: Diagnosis) -> Table:
    day = fit.problem.day
    return table(
        "Quotes, prices in bp of the notional",
        pd.DataFrame(
            {
                "cap": [label(year) for year in day.maturities],
                "strike": [f"{value:.3%}" for value in day.strikes],
                "market": [f"{1e4 * value / day.notional:,.2f}" for value in day.prices],
                "model": [f"{1e4 * value / day.notional:,.2f}" for value in fit.prices],
                "residual": [f"{value:+.2%}" for value in fit.residuals],
                "leverage": [f"{value:.3f}" for value in dx.leverage[: len(day.prices)]],
                "influence": [f"{value:.3g}" for value in dx.influence_score[: len(day.prices)]],
                "Cook": [_number(value) for value in dx.cooks_distance[: len(day.prices)]],
            }
        ),
    )


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}"
