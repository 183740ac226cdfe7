"""What a study computes and keeps, and when a day turns amber or red.

The TOML file that says how quotes are read (`market/settings.py`) may also have the sections
[calibration], [diagnosis] and [governance]. Results depend on the first two alone: their hash
decides whether a stored day is still valid. Another threshold of governance recomputes nothing.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError
from sqlalchemy import Float

from calibscope.base.brief import brief
from calibscope.calibration.problem import box
from calibscope.diagnosis.diagnosis import Mode
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.market.maturity import maturity
from calibscope.market.read import settings_content
from calibscope.market.settings import (
    SECTIONS_OF_STUDIES,
    NotNegative,
    Section,
    alone,
    checked_settings,
    did_you_mean,
)
from calibscope.study import schema

Solver = Literal[
    "global", "bobyqa", "nelder-mead", "lm", "gauss-newton", "newton", "annealing", "multistart"
]
QUICK = ("global", "lm", "gauss-newton", "newton")
Weighting = Literal["rmsre", "absolute", "vega", "leverage_balanced"]
Parameter = Literal["a_x", "a_y", "sigma_x", "sigma_y", "rho_xy"]
Level = Annotated[float, Field(gt=0, lt=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
USUAL = DiagnosisSettings()
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
    if value in get_args(Weighting):
        return value
    names = ", ".join(get_args(Weighting))
    hint = did_you_mean(value, get_args(Weighting))
    text = f"{brief(value)} is not a weighting{hint}; use {names}, or a weight for every maturity"
    raise PydanticCustomError("strangers", "{text}", {"text": text})


class CalibrationSection(Section):
    """How a day is calibrated: the arguments of `cs.calibrate`."""

    solver: Solver = "global"
    weights: Annotated[Weighting | dict[float, NotNegative], BeforeValidator(_weights)] = "rmsre"
    bounds: dict[Parameter, tuple[float, float]] = Field(default={})
    fixed: dict[Parameter, float] = Field(default={})
    optima: bool = False  # keep the other local optima too (a tenth of a second a day)

    @model_validator(mode="after")
    def _inside_the_model(self) -> "CalibrationSection":
        try:
            chosen = self.arguments()
            box(chosen["bounds"] or {}, chosen["fixed"] or {})
        except ValueError as error:
            raise PydanticCustomError("strangers", "{text}", {"text": str(error)}) from None
        return self

    @property
    def is_quick(self) -> bool:
        """Whether a day takes milliseconds."""
        return self.solver in QUICK and not self.optima

    def arguments(self) -> dict[str, Any]:
        """For `calibrate` and `calibrate_many`."""
        return {
            "solver": self.solver,
            "weights": self.weights,
            "bounds": dict(self.bounds) or None,
            "fixed": dict(self.fixed) or None,
        }


class DiagnosisSection(Section):
    """How a day is diagnosed: mode, stored levels, and the thresholds of `DiagnosisSettings`."""

    mode: Mode = "active"
    levels: Annotated[
        tuple[Level, ...],
        BeforeValidator(alone),
        AfterValidator(lambda levels: tuple(sorted(set(levels)))),
        Field(min_length=1),
    ] = (0.5, 0.75, 0.95)
    rank_tolerance: NotNegative = USUAL.rank_tolerance
    tikhonov: NotNegative = USUAL.tikhonov
    unidentified_share: NotNegative = USUAL.unidentified_share
    leverage_near_one: NotNegative = USUAL.leverage_near_one
    forced_leverage: NotNegative = USUAL.forced_leverage
    multiplier_errors: NotNegative = USUAL.multiplier_errors
    masking: NotNegative = USUAL.masking
    curvature: NotNegative = USUAL.curvature
    influence_disagreement: NotNegative = USUAL.influence_disagreement
    smallest_eigenvalue: NotNegative = USUAL.smallest_eigenvalue
    relative_offset: NotNegative = USUAL.relative_offset
    perfect: NotNegative = USUAL.perfect
    cooks_distance: NotNegative = USUAL.cooks_distance
    outlier_probability: NotNegative = USUAL.outlier_probability
    edof_disagreement: NotNegative = USUAL.edof_disagreement
    level: Level = USUAL.level

    @property
    def thresholds(self) -> DiagnosisSettings:
        """What `diagnose` takes."""
        return DiagnosisSettings(
            **{field.name: getattr(self, field.name) for field in fields(DiagnosisSettings)}
        )


class Limits(Section):
    """From where on a number's size makes a day amber, and from where on red; None: never."""

    amber: Finite | None = None
    red: Finite | None = None

    def rag(self, value: float) -> Literal["red", "amber", None]:
        """What this value means."""
        if self.red is not None and abs(value) >= self.red:
            return "red"
        return "amber" if self.amber is not None and abs(value) >= self.amber else None


# A status that is always amber is uninformative: these leave three in five days of the synthetic
# market green, although 3Y has a leverage above 0.95 on many of them.
USUAL_LIMITS = {
    "rmsre": Limits(amber=0.02, red=0.05),
    "largest_residual": Limits(amber=0.05, red=0.10),
    "largest_studentized": Limits(amber=12.0, red=20.0),
    "largest_leverage": Limits(amber=0.998),
    "lost_directions": Limits(amber=1, red=2),
}


def _over_the_usual(value: Any) -> Any:
    """The usual limits with these changes; false takes a limit away."""
    if not isinstance(value, Mapping):
        return value
    limits: dict[str, Any] = {name: usual.model_dump() for name, usual in USUAL_LIMITS.items()}
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
        default=USUAL_LIMITS
    )
    amber: Annotated[tuple[str, ...], BeforeValidator(alone)] = ()
    red: Annotated[tuple[str, ...], BeforeValidator(alone)] = ("is_off_optimum",)

    @field_validator("amber", "red", "limits", mode="after")
    @classmethod
    def _known_names(cls, value: Any, info: ValidationInfo) -> Any:
        known = NUMBERS if info.field_name == "limits" else tuple(MEANINGS)
        strangers = [
            f"{brief(name)}{did_you_mean(name, known)}" for name in value if name not in known
        ]
        if strangers:
            text = f"there is no {', '.join(strangers)}; choose from {', '.join(known)}"
            raise PydanticCustomError("strangers", "{text}", {"text": text})
        return value


class StudySettings(Section):
    """The sections of a settings file that concern a study."""

    calibration: CalibrationSection = CalibrationSection()
    diagnosis: DiagnosisSection = DiagnosisSection()
    governance: GovernanceSection = GovernanceSection()

    @property
    def results_hash(self) -> str:
        """A hash of all settings on which stored results depend."""
        content = json.loads(self.model_dump_json(include={"calibration", "diagnosis"}))
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def study_settings(
    settings: str | Path | Mapping[str, Any] | StudySettings | None, changes: Sequence[str] = ()
) -> StudySettings:
    """Settings from a file, a dictionary or nothing, with single changes on top.

    Parameters
    ----------
    settings : a TOML file, which may hold the settings of the market too, or nested dictionaries:
        ``{"calibration": {"solver": "bobyqa"}, "diagnosis": {"levels": [0.5, 0.95]}}``
    changes : like ``calibration.solver=bobyqa``
    """
    content, where = settings_content(settings, changes)
    if not isinstance(settings, Mapping | Section):  # then the market has its sections there too
        content = {name: content[name] for name in SECTIONS_OF_STUDIES if name in content}
    return checked_settings(StudySettings, content, where)
