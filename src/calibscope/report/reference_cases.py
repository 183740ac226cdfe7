"""The paper's table of reference cases, on the built-in market."""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from calibscope.base.arrays import Array
from calibscope.calibration.calibrate import calibrate
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.market.market import Market
from calibscope.report.tables import heading, plain_table
from calibscope.study.events import REFERENCE_DATES


def reference_cases(market: Market) -> RenderableType:
    """Three dates in the columns of the paper's table, with the largest residual and a reading."""
    fits = {date: calibrate(market.day(date)) for date in REFERENCE_DATES}
    diagnoses = {date: diagnose(fit) for date, fit in fits.items()}
    readings = [
        Text.assemble((f"\n{date} ", "bold"), diagnoses[date].reading) for date in REFERENCE_DATES
    ]
    return Group(
        heading("Three reference dates, calibrated and diagnosed (the quotes are synthetic)"),
        _table(fits, diagnoses),
        *readings,
    )


def _table(fits: dict[str, Fit], diagnoses: dict[str, Diagnosis]) -> Table:
    table = plain_table()
    table.add_column("date")
    table.add_column("event")
    for title in ("RMSRE", "EDoF", "max leverage", "max influence", "largest residual"):
        table.add_column(title, justify="right")
    for date, fit in fits.items():
        dx = diagnoses[date]
        errors = fit.residuals
        worst = int(np.abs(errors).argmax())
        table.add_row(
            date,
            REFERENCE_DATES[date],
            f"{100 * fit.rmsre:.2f} %",
            f"{dx.edof:.2f}",
            _highest(dx.leverage, ".2f", dx),
            _highest(dx.influence_score, ".2g", dx),
            f"{100 * errors[worst]:+.1f} % ({dx.problem.labels[worst]})",
        )
    return table


def _highest(values: Array, form: str, dx: Diagnosis) -> str:
    k = int(values.argmax())
    return f"{values[k]:{form}} ({dx.problem.labels[k]})"
