"""The page of one calibrated day as an HTML file."""

from collections.abc import Callable
from pathlib import Path

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.settings import USUAL, DiagnosisSettings
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.render.html import write_page
from calibscope.report.sections.day import day_document


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
    return write_page(
        lambda: day_document(fit, source, is_synthetic, thresholds, refits), target, progress
    )
