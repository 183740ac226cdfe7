"""What `calibscope day` shows: one calibrated day on one page."""

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import USUAL, diagnose
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.market.maturity import label
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS
from calibscope.report.diagnosis import PERCENT, Unit, diagnosed
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.refits.page import fitted_again
from calibscope.report.tables import heading, plain_table

MEANINGS = {
    "a_x": "speed of x, per year",
    "a_y": "speed of y, per year",
    "sigma_x": "volatility of x",
    "sigma_y": "volatility of y",
    "rho_xy": "correlation",
}
NOISE_UNITS = {
    "rmsre": PERCENT,
    "absolute": Unit(1e4, "bp price"),
    "vega": Unit(1e4, "bp vol"),
}
BOUND_WORDS = {-1: "at the lower bound", 0: "", 1: "at the upper bound"}


def calibrated_day(
    fit: Fit,
    source: str,
    thresholds: DiagnosisSettings = USUAL,
    refits: RefitAnswers | None = None,
) -> RenderableType:
    """Market against model, parameters with near-optimal ranges, the diagnosis, the evidence.

    Parameters
    ----------
    source : the market's name
    refits : answers from fitting again, which then follow
    """
    day = fit.problem.day
    unit = NOISE_UNITS.get(fit.problem.weighting, Unit(1.0, "(weighted)"))
    caps = f"{len(day.prices)} {day.kind}s"
    title = f"{source}: {day.date}, G2++ fitted to {caps}, single curve"
    return Group(
        Text(title, style="bold"),
        Text(f"RMSRE {100 * fit.rmsre:.3f} %. {fit.status.value}{_identification(fit)}"),
        heading("Market against model"),
        _quotes(fit),
        heading("Parameters"),
        _parameters(fit),
        diagnosed(
            diagnose(fit, settings=thresholds),
            diagnose(fit, "full", thresholds),
            unit,
        ),
        heading("How far to trust it"),
        *(Padding(Text(sentence), (0, 0, 0, 2)) for sentence in fit.evidence.sentences),
        *([] if refits is None else [fitted_again(refits, unit)]),
    )


def _identification(fit: Fit) -> str:
    if fit.is_identified:
        return ""
    return (
        " The quotes do not identify all parameters: others would price alike (condition number "
        f"{fit.condition_number:.0e})."
    )


def _quotes(fit: Fit) -> Table:
    day = fit.problem.day
    vols = 1e4 * day.normal_vols
    model_vols = 1e4 * day.caplets.implied_normal_vols(fit.prices / day.notional, day.kind)
    table = plain_table()
    for title in (
        day.kind,
        "strike\n%",
        "market\nbp",
        "model\nbp",
        "error\n%",
        "vol\nbp",
        "error\nbp",
    ):
        table.add_column(title, justify="right")
    worst = int(np.abs(fit.residuals).argmax())
    for k, year in enumerate(day.maturities):
        table.add_row(
            label(year),
            f"{100 * day.strikes[k]:.3f}",
            f"{1e4 * day.prices[k] / day.notional:.1f}",
            f"{1e4 * fit.prices[k] / day.notional:.1f}",
            f"{100 * fit.residuals[k]:+.2f}",
            f"{vols[k]:.1f}",
            f"{model_vols[k] - vols[k]:+.2f}",
            style="bold" if k == worst else None,
        )
    return table


def _parameters(fit: Fit) -> Table:
    near_optimal, other = fit.evidence.near_optimal, fit.evidence.plausible_fit
    table = plain_table()
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column(f"range within {near_optimal.factor:g} x RMSRE", justify="right")
    if other is not None and not fit.evidence.is_plausible:
        table.add_column("plausible", justify="right")
    table.add_column("")
    for p, name in enumerate(PARAMETERS):
        row = [name, _number(fit.parameters, p)]
        row.append(f"{near_optimal.low[p]:.3g} to {near_optimal.high[p]:.3g}")
        if other is not None and not fit.evidence.is_plausible:
            row.append(_number(other, p))
        note = BOUND_WORDS[int(fit.at_bound[p])]
        table.add_row(*row, note or MEANINGS[name])
    return table


def _number(model: G2, p: int) -> str:
    return f"{model.values[p]:.5g}"
