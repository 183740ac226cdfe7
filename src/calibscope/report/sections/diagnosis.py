"""A diagnosis on a page: what decides the fit, how uncertain it is, what to look at."""

import numpy as np

from calibscope.base.numbers import BASIS_POINTS, PERCENT, Unit, estimate, percent, share
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.flags import meaning
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.document import Column, Range, Table, table
from calibscope.study.metrics import QUOTE_METRICS

MEANING = {metric.name: metric.text for metric in QUOTE_METRICS}
LEVEL, SHORT_LEVEL = LEVELS[-1], LEVELS[0]
LEGEND = (
    "Leverage 1: the fit must meet the quote. Influence: what the quote's own error has done to "
    "the parameters (length, in mixed units). Cook's D: what leaving it out would do. "
    "Studentised: market minus model, in standard deviations."
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


def interval_table(dx: Diagnosis, full: Diagnosis | None = None) -> Table:
    """Values with intervals and marks.

    Parameters
    ----------
    full : in full mode, whose interval then takes the place of the shorter one
    """
    wide = dx.intervals(LEVEL, method="delta")
    other = (
        dx.intervals(SHORT_LEVEL, method="delta")
        if full is None
        else full.intervals(LEVEL, method="delta")
    )
    long, short = (percent(level, 0) for level in (LEVEL, SHORT_LEVEL))
    return table(
        "Estimates, intervals, and what must be said beside them",
        (
            "parameter",
            Column("value", estimate),
            Column(f"{long} interval", ".3g"),
            Column(f"{short} interval" if full is None else f"{long}, all free", ".3g"),
            "mark",
        ),
        [
            (
                name,
                wide.values[p],
                *(Range(each.low[p], each.high[p]) for each in (wide, other)),
                _marks(wide, other, p),
            )
            for p, name in enumerate(dx.problem.specs.names)
        ],
    )


def noise_line(dx: Diagnosis, unit: Unit = PERCENT, full: Diagnosis | None = None) -> str:
    """The noise behind the intervals of `interval_table`."""
    noise = unit.text(dx.scale_mse)
    if full is None:
        return f"Intervals from a noise of {noise}."
    free = unit.text(full.scale_mse)
    return f"Intervals from a noise of {noise}; with all parameters free, {free}."


def _marks(wide: Intervals, other: Intervals, p: int) -> str:
    """What must be said of either interval."""
    if other.level != wide.level or other.marks[p] in wide.marks[p]:
        return wide.marks[p]
    return "; ".join(filter(None, (wide.marks[p], f"all free: {other.marks[p]}")))


def bound_lines(dx: Diagnosis) -> list[str]:
    """Which active bounds decide the fit, and which intervals to take there."""
    names, ratios = dx.problem.specs.names, dx.multiplier_ratios
    at_bound = np.flatnonzero(dx.problem.at_bound)
    if not at_bound.size:
        return []
    lines = [
        f"{names[p]} is at its bound: multiplier {ratios[p]:.2g} standard errors from zero, so "
        f"{'the bound holds' if dx.bounds.holds[p] else 'it may be there by chance'}."
        for p in at_bound
    ]
    return [*lines, "With a parameter at a bound, rely on profile intervals (`--refits`)."]


def spectrum_lines(dx: Diagnosis, unit: Unit = PERCENT) -> list[str]:
    """EDoF and its variants, singular values, and how good Gauss-Newton is."""
    degrees, counted = dx.effective_degrees, dx.singular_values[: dx.geometry.parameter_count]
    lines = [
        f"EDoF {dx.edof} of {dx.geometry.parameter_count} parameters, at a tolerance of "
        f"{dx.settings.rank_tolerance:g} on W^(1/2) J; in scaled coordinates {degrees.scaled}, "
        f"all parameters free {degrees.full}, without those at bounds {degrees.strict}, Tikhonov "
        f"{degrees.tikhonov:.2f} (lambda {degrees.tikhonov_lambda:.2g}).",
        f"Singular values {', '.join(f'{s:.2g}' for s in counted)}; condition number "
        f"{dx.condition_number:.1e}.",
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
