"""The data: how they were read, what is missing, what the checks said."""

import json

from calibscope.base.numbers import counted
from calibscope.report.document import Section, section
from calibscope.report.sections.study_quotes import interpolated_sentence
from calibscope.study.statistics.by_quote import partly_quoted
from calibscope.study.statistics.completeness import incomplete_days
from calibscope.study.study import Study


def data(study: Study) -> Section:
    """Sentences; what is taken for granted is in the assumptions."""
    days, runs = study.days, study.runs
    warned = int((days["warnings"] != "").sum())
    read = json.loads(runs["conventions"].iloc[-1]) if len(runs) else {}
    return section(
        "data",
        "Data",
        f"Quotes were given as {read.get('quotes') or 'prices'}, curves as "
        f"{read.get('curves') or 'curves'}. The checks warned about "
        f"{counted(warned, 'day') if warned else 'no day'}.",
        " ".join((incomplete_days(study), partly_quoted(study))).strip() or None,
        interpolated_sentence(study) or None,
    )
