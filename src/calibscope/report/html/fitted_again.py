"""The section "Fitted again" of the page of a day: refits, with figures and tables."""

import numpy as np
import pandas as pd

from calibscope.diagnosis.propagate.consequences import Consequences
from calibscope.diagnosis.refit.comparison import IntervalComparison
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.diagnosis.refit.outliers import Outliers
from calibscope.diagnosis.refit.robust import Robust
from calibscope.report.consequences import consequence_rows
from calibscope.report.figures.consequences import consequences
from calibscope.report.figures.left_out_shifts import left_out_shifts
from calibscope.report.figures.profiles import profile_chart
from calibscope.report.html.blocks import Block, Figure, Section, Table, section, table
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.refits.sentences import (
    NOT_REPRODUCED,
    better_sentence,
    comparison_sentence,
    curvature_sentences,
    left_out_sentence,
    robust_sentence,
    shift_text,
    worth_rows,
)
from calibscope.report.tables import interval_text, number_text, share_text


def fitted_again(found: RefitAnswers, note: str) -> Section:
    """What the day says when it is fitted again.

    Parameters
    ----------
    note : what the reader must know about the data
    """
    level = found.intervals.level
    return section(
        "again",
        "Fitted again",
        "The day was fitted again: without each quote, with each parameter held, to a thousand "
        "simulated days, and with robust losses. Where these answers differ from those above, "
        "believe these.",
        None if found.is_reproduced else NOT_REPRODUCED,
        left_out_sentence(found.leave_one_out),
        Figure(left_out_shifts(found.leave_one_out, note)),
        _left_out(found.leave_one_out),
        comparison_sentence(found.intervals),
        better_sentence(found.profiles) or None,
        Figure(profile_chart(found.profiles, found.dx.intervals(level), note))
        if found.has_profiles
        else "There are no profiles: the fit leaves no noise, or has no degree of freedom.",
        _compared(found.intervals),
        *curvature_sentences(found.bates_watts),
        robust_sentence(found.robust),
        _robust(found.robust),
        _outliers(found.outliers),
        table(
            "Which quotes drive the precision: factors by which the variance of a parameter "
            "would grow without them (linear, not refitted)",
            pd.DataFrame(worth_rows(found.data_worth), columns=["parameter", "without"]),
        ),
        *_consequences(found.consequences, note),
    )


def _consequences(found: Consequences | None, note: str) -> list[Block | str | None]:
    """Nothing, of a model that defines no derived quantities."""
    if found is None:
        return []
    figure = Figure(consequences(found, note), is_captioned=False)
    return [found.summary or None, figure, _followed(found)]


def _followed(found: Consequences) -> Table:
    titles, rows = consequence_rows(found)
    between = [title.replace("; ", " ") for title in titles[1:-1]]
    frame = pd.DataFrame(rows, columns=["quantity", *between, "mark"])
    return table("What follows from the parameters, under the risk-neutral measure", frame)


def _left_out(found: LeaveOneOut) -> Table:
    shifts, count = found.shifts, range(len(found.labels))
    return table(
        "Each quote left out: weighted errors of the others and of its own forecast (PRESS), and "
        "how far predictions err, as shares of the true shift",
        pd.DataFrame(
            {
                "without": found.labels,
                "rms of others": [number_text(value, ".4g") for value in found.rms],
                "moves most": [shift_text(found, k) for k in count],
                "exact Hessian": [share_text(value) for value in shifts.error("exact")],
                "Gauss-Newton": [share_text(value) for value in shifts.error("gauss_newton")],
                "PRESS": [number_text(value, "+.2g") for value in found.weighted_press],
                "mark": found.marks,
            }
        ),
    )


def _compared(found: IntervalComparison) -> Table:
    return table(
        f"{found.level:.0%} intervals by method",
        pd.DataFrame(
            {
                "parameter": found.names,
                **{
                    method: [
                        interval_text(low, high)
                        for low, high in zip(found.low[k], found.high[k], strict=True)
                    ]
                    for k, method in enumerate(found.methods)
                },
                "agree": np.where(found.has_disagreement, "no", "yes"),
                "mark": found.marks,
            }
        ),
    )


def _robust(found: tuple[Robust, ...]) -> Table:
    return table(
        "Robust fits",
        pd.DataFrame(
            {
                "parameter": found[0].specs.names,
                "plain": [number_text(value, ".5g") for value in found[0].values],
                **{
                    fit.loss.capitalize(): [number_text(value, ".5g") for value in fit.parameters]
                    for fit in found
                },
            }
        ),
    )


def _outliers(found: Outliers) -> Table:
    forms = {"studentised": "+.1f", "press": "+.1f", "huber": ".2f", "cauchy": ".2f"}
    return table(
        "Is a quote out of line? Studentised residual and PRESS in units of noise, and what robust "
        "fits leave of its weight",
        pd.DataFrame(
            {
                "quote": found.labels,
                **{
                    name: [number_text(value, form) for value in getattr(found, name)]
                    for name, form in forms.items()
                },
                "verdict": found.verdicts,
            }
        ),
    )
