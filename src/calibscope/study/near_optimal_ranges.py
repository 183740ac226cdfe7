"""Near-optimal ranges of some days, so that models can be compared by what they identify.

They take a tenth of a second a day, so a run with several models keeps them for a sample, evenly
spread over the market, with its last day (`calibration/near_optimal/near_optimal.py`: the RMSRE
stays within a tenth of the best).
"""

import numpy as np
from sqlalchemy import Connection, Engine, select

from calibscope.calibration.calibrate import calibrate
from calibscope.calibration.near_optimal.near_optimal import near_optimal
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.study import schema
from calibscope.study.columns import Columns, without_nan
from calibscope.study.database import insert_columns
from calibscope.study.sealed import seal_days
from calibscope.study.settings import StudySettings

SAMPLE = 24  # days


def keep_ranges(database: Engine, run_id: int, market: Market, settings: StudySettings) -> None:
    """Find and store the ranges of the sample's days that have none; each in a transaction.

    Parameters
    ----------
    settings : of one model
    """
    places = np.linspace(0, len(market) - 1, min(SAMPLE, len(market))).round().astype(int)
    sample = {market.days[place].date: market.days[place] for place in places}
    with database.begin() as connection:
        missing = _missing(connection, settings)
    for day_id, date in missing.items():
        if date in sample:
            columns = _ranges(sample[date], settings)
            count = len(columns["parameter"])
            known: Columns = {"day_id": [day_id] * count, "run_id": [run_id] * count}
            with database.begin() as connection:
                insert_columns(connection, schema.near_optimal, known | columns)
                seal_days(connection, [schema.near_optimal], [day_id])


def _missing(connection: Connection, settings: StudySettings) -> dict[int, object]:
    """Current days of the model with results and without ranges: number and date."""
    days, known = schema.days.c, select(schema.near_optimal.c.day_id)
    wanted = select(days.day_id, days.date).where(
        schema.is_current,
        days.model == settings.calibration.models[0],
        days.rmsre.is_not(None),
        days.day_id.not_in(known),
    )
    return {row.day_id: row.date for row in connection.execute(wanted.order_by(days.day_id))}


def _ranges(day: MarketDay, settings: StudySettings) -> Columns:
    fit = calibrate(day, **settings.calibration.arguments())
    found = near_optimal(fit.problem, fit.parameters)
    return {
        "parameter": list(found.specs.names),
        "low": without_nan(found.low),
        "high": without_nan(found.high),
        "is_low_at_bound": found.is_low_at_bound.tolist(),
        "is_high_at_bound": found.is_high_at_bound.tolist(),
    }
