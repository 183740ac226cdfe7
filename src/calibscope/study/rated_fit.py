"""The RAG status of one fit, as a study of the same market gives it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibscope.calibration.solution import Fit
from calibscope.market.findings import INCOMPLETE
from calibscope.market.market import Market
from calibscope.study.rag import NOT_SCREENED, Rag, Raised, raised_rules, rating
from calibscope.study.rated_alone import row_of_days
from calibscope.study.screening import suspicions_in
from calibscope.study.settings import StudySettings


@dataclass(frozen=True, slots=True)
class RatedDay:
    """What the rules say of a day, and the numbers they speak of."""

    numbers: Mapping[str, Any]  # a row of the table `days`, and the labels that are `accused`
    raised: tuple[Raised, ...]
    is_screened: bool  # whether the history before is long enough to judge the quotes

    @property
    def rag(self) -> Rag:
        """The worst colour."""
        return rating(self.raised)[0]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the day has that colour."""
        return rating(self.raised)[1]

    @property
    def note(self) -> str:
        """What does not change the colour."""
        return "" if self.is_screened else NOT_SCREENED


def rated_fit(fit: Fit, market: Market, settings: StudySettings) -> RatedDay:
    """Rate a calibrated day.

    Parameters
    ----------
    fit : of a day of this market
    market : whose days before that one say what is usual
    settings : whose governance has the rules
    """
    date = fit.problem.day.date
    said = [str(found) for found in market.warnings
            if found.date == date and found.check != INCOMPLETE]  # fmt: skip
    day = {**row_of_days(fit, settings), "date": [date], "warnings": ["; ".join(said)]}
    found = suspicions_in(market.between(market.dates[0], date)) if date else {}
    (raised,) = raised_rules(day, settings.governance, found)
    suspicion = found.get(str(date))
    return RatedDay(
        {
            **{name: values[0] for name, values in day.items()},
            "accused": suspicion.accused if suspicion else (),
        },
        raised,
        suspicion is None or suspicion.is_screened,
    )
