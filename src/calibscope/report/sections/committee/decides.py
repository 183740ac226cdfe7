"""What decides the fit: leverage, Cook's distance and DFBETAS of the latest day's quotes."""

import numpy as np

from calibscope.base.numbers import BASIS_POINTS, PERCENT
from calibscope.report.document import Column, Noted, Paragraph, Section, Table, section, table
from calibscope.report.drawings.quote_bars import influence_bars
from calibscope.study.statistics.periods import as_often, is_small, of_days
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

MOST = 16  # quotes in the committee edition
NOTE = (
    "Leverage: 0 to 1, where 1 means that the fit follows the quote whatever it says. Cook's "
    "distance: how far all parameters together would move without the quote; above 1 is "
    "substantial. DFBETAS: the same in standard errors of one parameter, that which moves most."
)


def decides(study: Study, day: StoredDay) -> Section:
    """The answer over all days, and every quote of the latest one."""
    return section(
        "decides",
        "What decides it",
        _history(study),
        influence_bars(study, day),
        quote_table(study, day, MOST),
        Paragraph(NOTE, is_note=True),
    )


def quote_table(study: Study, day: StoredDay, most: int | None = None) -> Table:
    """Prices, error and influence of each quote; of many, those that would move the fit most."""
    frame = day.quotes.assign(own=day.leverage)
    whose = "Quotes" if most is not None else "All quotes"
    caption = f"{whose} of {day.date:%Y-%m-%d}, prices per unit notional"
    if most is not None and len(frame) > most:
        caption += f": the {most} of {len(frame)} with the largest Cook's distance"
        kept = frame["cooks_distance"].fillna(0.0).nlargest(most).index
        frame = frame[frame.index.isin(kept)]
    limit = study.settings.diagnosis.thresholds.cooks_distance
    rows = [
        (
            label, row["market_price"], row["model_price"], row["residual"], row["own"],
            row["cooks_distance"], Noted(row["dfbetas"], str(row["dfbetas_of"])),
        )
        for label, row in frame.iterrows()
    ]  # fmt: skip
    columns = (
        Column("quote", "s"), Column("market", ",.1f", BASIS_POINTS),
        Column("model", ",.1f", BASIS_POINTS),
        Column("error", "+.2f", PERCENT, "model minus market"), Column("leverage", ".2f"),
        Column("Cook's distance", ".2f"), Column("largest DFBETAS", "+.2f"),
    )  # fmt: skip
    bold = np.flatnonzero(frame["cooks_distance"].fillna(0.0) > limit).tolist()
    return table(caption, columns, rows, bold)


def _history(study: Study) -> str:
    """Which quote leads on most days; a small study says it in its table of days."""
    if is_small(study):
        return ""
    fitted, thresholds = study.fitted, study.settings.diagnosis.thresholds
    near = thresholds.leverage_near_one
    first = fitted["largest_leverage_at"].value_counts().index[0]
    is_first = fitted["largest_leverage_at"] == first
    text = (
        f"{first} has the highest leverage on {of_days(is_first)}, above {near:g} on "
        f"{as_often(is_first & (fitted['largest_leverage'] > near))}."
    )
    substantial = fitted["largest_cooks_distance"] > thresholds.cooks_distance
    text += (
        f" Removing some quote would change the parameters substantially on {as_often(substantial)}"
    )
    often = fitted.loc[substantial, "largest_cooks_distance_at"].value_counts()
    return f"{text}, most often {often.index[0]}." if len(often) else f"{text}."
