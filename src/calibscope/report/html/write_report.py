"""`cs.write_report`: a study as one file for the people who validate the model."""

import datetime
from collections.abc import Callable
from pathlib import Path

from calibscope import __version__
from calibscope.report.html.page import new_page, page
from calibscope.report.html.study_sections import sections_of
from calibscope.study.study import Study

SYNTHETIC = "SYNTHETIC data: invented quotes, made to look like the Euro market"


def write_report(
    study: Study,
    target: str | Path,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Write the report of a study: one HTML file that works offline.

    Summary with RAG statuses and the days that need review, data, fit, leverage and
    influence, identifiability, uncertainty, regimes, robustness, and an appendix with settings,
    versions, hashes, formulas and limits. The text is made from the numbers.

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
    path = Path(target)
    market = study.runs["market"].iloc[-1] if len(study.runs) else "no market"
    with new_page(path) as place:
        text = page(
            title="How far can these calibrations be trusted?",
            subtitle=f"G2++ calibrated to caps: {market}",
            label=SYNTHETIC if study.is_synthetic else "",
            sections=sections_of(study, progress),
            footer=f"calibscope {__version__}, {datetime.date.today()}. "
            f"Made from {study.path.name}.",
        )
        place.write_text(text, encoding="utf-8")
    return path
