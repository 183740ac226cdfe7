"""`cs.write_report`: a study as one file for the people who validate the model."""

from collections.abc import Callable
from pathlib import Path

from calibscope.report.render.html import write_page
from calibscope.report.sections.study import study_document
from calibscope.study.study import Study


def write_report(
    study: Study,
    target: str | Path,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Write the report of a study: one HTML file that works offline.

    First a committee edition of five printed pages at most: whether the latest calibration can be
    used, assumptions, fit, what decides it, what is identified, history, limits, and a sign-off.
    Then an appendix, closed at first: every day that needs review, fit, influence, identifiability
    and uncertainty over time, robustness, settings, formulas and a glossary. A study of fewer than
    30 days is told day by day. The text is made from the numbers.

    Parameters
    ----------
    study : to be reported on
    target : the file, such as "report.html"; an earlier report is replaced, anything
        else that is there already is refused
    progress : called with how many sections are made, and of how many

    Returns
    -------
    Path
        the file that was written

    Raises
    ------
    ExportError
        if the target cannot be written, or is something else than an earlier report
    """
    return write_page(lambda: study_document(study), target, progress)
