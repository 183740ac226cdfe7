"""Several models on the same days: which fits better, and what do the quotes identify of it?"""

from calibscope.base.numbers import PERCENT, counted, number, percent
from calibscope.report.document import (
    Block,
    Column,
    Paragraph,
    Range,
    Table,
    percents,
    section,
    table,
)
from calibscope.report.document import Section as Part
from calibscope.report.sections import study_blocks as shared
from calibscope.study import statistics
from calibscope.study.statistics.model_comparison import LEVEL, PINNED
from calibscope.study.study import Study

COLUMNS = {
    "model": Column("model", is_whole=True),
    "rmsre_median": Column("median RMSRE", ".2f", PERCENT),
    "rmsre_q95": Column("95th percentile", ".2f", PERCENT, is_extra=True),
    "edof_median": Column("median EDoF", ".0f"),
    **percents(".0f", edof_full="full EDoF", at_bound="at a bound"),
    "rag": Column("green / amber / red", "s", PERCENT),
    "pinned": Column("pinned down", "s", is_whole=True),
}
NOTE = (
    f"Pinned down: parameters whose near-optimal range is within a factor of {PINNED:g}, of all "
    "(median over the days with ranges); refitting the others keeps the RMSRE within a tenth of "
    "the best there."
)


def model_section(study: Study) -> Part | None:
    """The section of the report; None for a study of one model."""
    if len(study.models) < 2:
        return None
    return section("models", "Models side by side", *model_blocks(study))


def model_blocks(study: Study) -> list[Block | str]:
    """How well each model fits, what the quotes identify of it, and which is supported."""
    return [
        *_missed(study),
        *_support(study),
        _comparison(study),
        Paragraph(NOTE, is_note=True),
        *_ranges(study),
        "Next: where the larger model fits hardly better and its parameters are not pinned down, "
        "use the smaller one, or fix parameters of the larger (setting calibration.fixed).",
    ]


def support_sentences(study: Study) -> list[str]:
    """How often the data ask for the larger of two nested models; none for a single model."""
    return _support(study) if len(study.models) > 1 else []


def _missed(study: Study) -> list[str]:
    """Models that cannot be compared, because nobody here knows them."""
    missed = [name for name in study.models if name not in study.installed_models]
    return (
        [f"Left out, because they are not installed here: {', '.join(missed)}."] if missed else []
    )


def _support(study: Study) -> list[str]:
    """How often the data ask for the larger of two nested models."""
    found = []
    for pair in shared.records(statistics.nested_models(study)):
        if pair["days"]:
            smaller, larger = (study.model_of(pair[name]).title for name in ("smaller", "larger"))
            found.append(
                f"The market supports {larger} against {smaller} on "
                f"{percent(pair['supported'], 0)} of {counted(pair['days'], 'day')} (F statistic "
                f"above its {percent(LEVEL, 0)} quantile; median F {number(pair['f_median'])}). "
                "The "
                "quantile takes independent noise for granted, so it is a first impression."
            )
    return found


def _comparison(study: Study) -> Table:
    frame = statistics.model_comparison(study)
    shares = (100 * frame[["green", "amber", "red"]]).round().astype(int)
    frame = frame.assign(
        rag=[" / ".join(map(str, row)) for row in shares.to_numpy().tolist()],
        pinned=[
            f"{pinned:g} of {count}" if pinned == pinned else "-"
            for pinned, count in zip(frame["pinned"], frame["parameters"], strict=True)
        ],
    )
    days = counted(
        int(frame["days"].iloc[0]), "day that all have fitted", "days that all have fitted"
    )
    return shared.framed(f"Models on the {days}", frame, COLUMNS)


def _ranges(study: Study) -> list[Table]:
    """Near-optimal ranges of the last day that has them."""
    ranges = statistics.near_optimal_ranges(study)
    if ranges.empty:
        return []
    last = ranges["date"].max()
    rows = [
        (
            row["model"], row["parameter"], row["estimate"], Range(row["low"], row["high"]),
            "yes" if row["is_pinned"] else "no",
        )
        for row in shared.records(ranges[ranges["date"] == last])
    ]  # fmt: skip
    columns = (
        Column("model", is_whole=True), Column("parameter"), Column("estimate", ".3g"),
        Column("near-optimal range", ".3g"), Column("pinned down"),
    )  # fmt: skip
    return [table(f"Near-optimal ranges on {last.date()}", columns, rows)]
