"""What a study computes and keeps, and when a day turns amber or red.

These are the sections [calibration], [diagnosis] and [governance] of a settings file, beside those
that say how quotes are read (`market/settings.py`). Results depend on the first two alone: their
hash decides whether a stored day is still valid. Another threshold of governance recomputes
nothing.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from sqlalchemy import Float

from calibscope.base.brief import brief
from calibscope.base.settings import (
    NotNegative,
    Section,
    alone,
    checked_settings,
    part_of,
    refused,
)
from calibscope.base.settings_content import settings_content
from calibscope.base.spelling import choose_from
from calibscope.calibration.problem import box
from calibscope.calibration.solvers import SOLVERS
from calibscope.calibration.weights import WEIGHTINGS, Weighting
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.linear.leverage_measures import Mode
from calibscope.diagnosis.settings import LEVELS, THRESHOLDS, USUAL, DiagnosisSettings
from calibscope.market.maturity import maturity
from calibscope.market.settings import MarketSettings
from calibscope.models.model import DEFAULT, model_named
from calibscope.study import schema
from calibscope.study.model import SPECS
from calibscope.study.usual_limits import USUAL_LIMITS

if TYPE_CHECKING:
    Solver = str
    Parameter = str
else:
    Solver = Literal[tuple(SOLVERS)]
    Parameter = Literal[SPECS.names]
Level = Annotated[float, Field(gt=0, lt=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
# Columns of `days` that are worse the larger they are.
NUMBERS = tuple(
    column.name
    for column in schema.days.columns
    if isinstance(column.type, Float) and not column.name.startswith(("edof", "singular", "tikh"))
)
NUMBERS += ("lost_directions",)


def _weights(value: Any) -> Any:
    """A weighting by its name, or weights per maturity, whose names may be 10Y or 10."""
    if isinstance(value, Mapping):
        return {maturity(str(year)) or year: weight for year, weight in value.items()}
    if value in WEIGHTINGS:
        return value
    remedy = f"{choose_from(WEIGHTINGS, value)}, or give a weight for every maturity"
    raise refused(f"{brief(value)} is not a weighting; {remedy}")


class CalibrationSection(Section):
    """How a day is calibrated: the arguments of `cs.calibrate`."""

    model: str = DEFAULT
    solver: Solver = "global"
    weights: Annotated[Weighting | dict[float, NotNegative], BeforeValidator(_weights)] = "rmsre"
    bounds: dict[str, tuple[float, float]] = Field(default={})
    fixed: dict[str, float] = Field(default={})
    optima: bool = False  # keep the other local optima too (a tenth of a second a day)

    @model_validator(mode="after")
    def _inside_the_model(self) -> "CalibrationSection":
        try:
            specs = SPECS if self.model == DEFAULT else model_named(self.model).specs
            box(specs, self.bounds, self.fixed)
        except ValueError as error:
            raise refused(str(error)) from None
        return self

    @property
    def is_quick(self) -> bool:
        """Whether a day takes milliseconds."""
        return SOLVERS[self.solver].is_quick and not self.optima

    def arguments(self) -> dict[str, Any]:
        """For `calibrate` and `calibrate_many`."""
        return {
            "model": self.model,
            "solver": self.solver,
            "weights": self.weights,
            "bounds": dict(self.bounds) or None,
            "fixed": dict(self.fixed) or None,
        }


if TYPE_CHECKING:
    Thresholds = Section
else:
    Thresholds = create_model(
        "Thresholds",
        __base__=Section,
        **{name: (NotNegative, threshold.default) for name, threshold in THRESHOLDS.items()},
    )


class DiagnosisSection(Thresholds):
    """How a day is diagnosed: mode, stored levels, and the thresholds of `DiagnosisSettings`."""

    mode: Mode = "active"
    levels: Annotated[
        tuple[Level, ...],
        BeforeValidator(alone),
        AfterValidator(lambda levels: tuple(sorted(set(levels)))),
        Field(min_length=1),
    ] = LEVELS
    level: Level = USUAL.level

    @property
    def thresholds(self) -> DiagnosisSettings:
        """What `diagnose` takes."""
        return DiagnosisSettings(**{name: getattr(self, name) for name in THRESHOLDS})


class Limits(Section):
    """From where on a number's size makes a day amber, and from where on red; None: never."""

    amber: Finite | None = None
    red: Finite | None = None

    def rag(self, value: float) -> Literal["red", "amber", None]:
        """What this value means."""
        if self.red is not None and abs(value) >= self.red:
            return "red"
        return "amber" if self.amber is not None and abs(value) >= self.amber else None


DEFAULT_LIMITS = {
    name: Limits(amber=usual.amber, red=usual.red) for name, usual in USUAL_LIMITS.items()
}


def _over_the_usual(value: Any) -> Any:
    """The usual limits with these changes; false takes a limit away."""
    if not isinstance(value, Mapping):
        return value
    limits: dict[str, Any] = {name: usual.model_dump() for name, usual in DEFAULT_LIMITS.items()}
    for name, change in value.items():
        if change is False:
            limits[name] = {"amber": None, "red": None}
        elif isinstance(change, Limits):
            limits[name] = change
        elif isinstance(change, Mapping):
            limits[name] = {**limits.get(name, {}), **change}
        else:
            limits[name] = change
    return limits


class GovernanceSection(Section):
    """When a day needs review: limits by column of `study.days`, and flags by name."""

    limits: Annotated[dict[str, Limits], BeforeValidator(_over_the_usual)] = Field(
        default=DEFAULT_LIMITS
    )
    amber: Annotated[tuple[str, ...], BeforeValidator(alone)] = ()
    red: Annotated[tuple[str, ...], BeforeValidator(alone)] = ("is_off_optimum",)

    @field_validator("amber", "red", "limits", mode="after")
    @classmethod
    def _known_names(cls, value: Any, info: ValidationInfo) -> Any:
        known = NUMBERS if info.field_name == "limits" else tuple(MEANINGS)
        strangers = [name for name in value if name not in known]
        if strangers:
            named = ", ".join(map(brief, strangers))
            raise refused(f"there is no {named}; {choose_from(known, *strangers)}")
        return value


class StudySettings(Section):
    """The sections on studies: [calibration], [diagnosis], [governance]."""

    calibration: CalibrationSection = CalibrationSection()
    diagnosis: DiagnosisSection = DiagnosisSection()
    governance: GovernanceSection = GovernanceSection()

    @property
    def results_hash(self) -> str:
        """A hash of all settings on which stored results depend."""
        content = json.loads(self.model_dump_json(include={"calibration", "diagnosis"}))
        if self.calibration.model == DEFAULT:  # as before there were others
            del content["calibration"]["model"]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class AllSettings(StudySettings, MarketSettings):
    """Every section that a settings file may have."""


def study_settings(
    settings: str | Path | Mapping[str, Any] | StudySettings | None, changes: Sequence[str] = ()
) -> StudySettings:
    """Settings from a file, a dictionary or nothing, with single changes on top.

    Parameters
    ----------
    settings : a TOML file, or the same as nested dictionaries, such as
        ``{"calibration": {"solver": "bobyqa"}, "diagnosis": {"levels": [0.5, 0.95]}}``; settings
        of the market may be there too
    changes : like ``calibration.solver=bobyqa``
    """
    content, where = settings_content(settings, changes, "calibration.solver=bobyqa")
    return part_of(checked_settings(AllSettings, content, where), StudySettings)
