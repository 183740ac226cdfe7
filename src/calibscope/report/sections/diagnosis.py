"""A diagnosis on a page: what decides the fit, how uncertain it is, what to look at."""

import numpy as np

from calibscope.base.numbers import (
    BASIS_POINTS,
    PERCENT,
    Unit,
    counted,
    estimate,
    number,
    percent,
    share,
)
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.flags import meaning
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.document import Column, Range, Table, table
from calibscope.study.metrics import QUOTE_METRICS

MEANING = {metric.name: metric.text for metric in QUOTE_METRICS}
LEVEL, SHORT_LEVEL = LEVELS[-1], LEVELS[0]
LEGEND = (
    "Leverage 1: the fit must meet the quote. Influence: what the quote's own error has done to "
    "the parameters (length, in mixed units). Cook's D: what leaving it out would do, to first "
    "order (the summary has it with the exact Hessian). Studentised: market minus model, in "
    "standard deviations."
)


def quote_table(dx: Diagnosis) -> Table:
    """Leverage and influence of every quote, with bars."""
    score = dx.influence_score
    return table(
        "Leverage and influence by quote",
        (
            Column("quote", "s"),
            Column("leverage", ".2f", sentence=MEANING["leverage"], full=1.0),
            Column(
                "influence", ".2g", sentence=MEANING["influence_score"], full=float(score.max())
            ),
            Column("Cook's D", ".2g", sentence=MEANING["cooks_distance"]),
            Column("studentised", "+.1f", sentence=MEANING["resid_studentized_external"]),
        ),
        zip(
            dx.problem.labels, dx.leverage, score, dx.cooks_distance,
            dx.resid_studentized_external, strict=True,
        ),
    )  # fmt: skip


def interval_table(dx: Diagnosis) -> Table:
    """Values with intervals, by profile where the fit can be repeated, and marks."""
    wide, short = (dx.intervals(LEVELS).at(level) for level in (LEVEL, SHORT_LEVEL))
    return table(
        "Estimates, intervals, and what must be said beside them",
        (
            "parameter",
            Column("value", estimate),
            Column(f"{percent(LEVEL, 0)} interval", ".3g"),
            Column(f"{percent(SHORT_LEVEL, 0)} interval", ".3g"),
            "mark",
        ),
        [
            (
                name,
                wide.values[p],
                *(Range(each.low[p], each.high[p]) for each in (wide, short)),
                wide.marks[p],
            )
            for p, name in enumerate(dx.problem.specs.names)
        ],
    )


def interval_lines(dx: Diagnosis, full: Diagnosis, unit: Unit = PERCENT) -> list[str]:
    """The noise behind the intervals of `interval_table`, and how they are made.

    Parameters
    ----------
    full : the diagnosis in full mode: a profile lets every parameter move
    """
    if dx.intervals(LEVELS).form != "profile":
        return [f"Intervals by delta method; noise {unit.text(float(dx.noise()))}."]
    delta = dx.intervals(LEVEL, method="delta")
    wrong = [name for name, is_so in zip(delta.specs.names, delta.is_contradicted, strict=True)
             if is_so]  # fmt: skip
    return [
        "Intervals by profile: all else is fitted again with the parameter held; noise "
        f"{unit.text(float(full.noise()))}.",
        *([f"The delta method's intervals have other ends: {', '.join(wrong)}."] if wrong else []),
    ]


def bound_lines(dx: Diagnosis) -> list[str]:
    """Which active bounds decide the fit, and which intervals to take there."""
    names, ratios = dx.problem.specs.names, dx.multiplier_ratios
    at_bound = np.flatnonzero(dx.problem.at_bound)
    if not at_bound.size:
        return []
    return [
        f"{names[p]} is at its bound: multiplier {number(ratios[p], '.2g')} standard errors from "
        "zero, so "
        f"{'the bound holds' if dx.bounds.holds[p] else 'it may be there by chance'}."
        for p in at_bound
    ]


def spectrum_lines(dx: Diagnosis, unit: Unit = PERCENT) -> list[str]:
    """EDoF and its variants, singular values, and how good Gauss-Newton is."""
    degrees, kept = dx.effective_degrees, dx.singular_values[: dx.geometry.parameter_count]
    free = "free parameter" if dx.is_held.any() else "parameter"
    parameters = counted(int(dx.geometry.parameter_count), free)
    lines = [
        f"EDoF {dx.edof} of {parameters}, at a tolerance of "
        f"{dx.settings.rank_tolerance:g} on W^(1/2) J; in scaled coordinates {degrees.scaled}, "
        f"all parameters free {degrees.full}, without those at bounds {degrees.strict}, Tikhonov "
        f"{number(float(degrees.tikhonov), '.2f')} (lambda "
        f"{number(float(degrees.tikhonov_lambda), '.2g')}).",
        f"Singular values {', '.join(number(s, '.2g') for s in kept)}; condition number "
        f"{number(dx.condition_number, '.1e')}.",
        f"Scale of the noise: mse {unit.text(dx.scale_mse)}, mad {unit.text(dx.scale_mad)}, "
        f"adjusted for leverage {unit.text(dx.scale_mad_adjusted)}.",
    ]
    if not np.isnan(dx.relative_bias):
        lines.append(
            f"Minimising relative errors aims {BASIS_POINTS.text(-dx.relative_bias, '.2g')} of the "
            "price below its mean."
        )
    if not dx.flags.lacks_second_derivatives:
        lines.append(
            "Gauss-Newton against the exact Hessian: "
            f"{PERCENT.text(dx.gauss_newton_ratio, '.2g')} in norm (paper), "
            f"{share(dx.gauss_newton_error)} in the worst direction."
        )
    return lines


def flag_table(dx: Diagnosis) -> Table | str:
    """Raised flags and what they mean."""
    if not dx.flags.raised:
        return "No flag is raised."
    rows = [(name, meaning(name, dx.settings)) for name in dx.flags.raised]
    return table("Flags that are raised", ("flag", "meaning"), rows)
