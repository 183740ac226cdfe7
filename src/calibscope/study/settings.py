"""What a study computes and keeps, and when a day turns amber or red.

These are the sections [calibration], [diagnosis], [governance] and [report] of a settings file,
beside those that say how quotes are read (`market/settings.py`). Results depend on the first two
alone: their hash decides whether a stored day is still valid. Another threshold of governance, or
another reference date, recomputes nothing.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from calibscope.base.brief import brief
from calibscope.base.errors import SettingsError
from calibscope.base.parameters import Specs
from calibscope.base.presets import preset_settings
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
from calibscope.calibration.problem import Order, box
from calibscope.calibration.solvers import SOLVERS
from calibscope.calibration.weights import WEIGHTINGS, MarketWeights, Weighting
from calibscope.diagnosis.linear.uncertainty import DEFAULT_SCALE, Noise, checked_scale
from calibscope.diagnosis.settings import (
    DEFAULT_MODE,
    LEVELS,
    THRESHOLDS,
    USUAL,
    DiagnosisSettings,
    Method,
    Mode,
)
from calibscope.market.maturity import maturity
from calibscope.market.settings import MarketSettings
from calibscope.models.model import DEFAULT, model_named
from calibscope.study.events import REFERENCE_DATES
from calibscope.study.metric import Metric, further_metrics, metric_with
from calibscope.study.metrics import DAY_METRICS, limited, marks
from calibscope.study.results_hash import results_hash

if TYPE_CHECKING:
    Solver = str
else:
    Solver = Literal[tuple(SOLVERS)]
Level = Annotated[float, Field(gt=0, lt=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
STORED = "stored"  # context of settings that are read back from a store


def _models(value: Any) -> Any:
    """One model's name, or several, each once."""
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        names = tuple(dict.fromkeys(value))
        return names[0] if len(names) == 1 else names
    return value


def _weights(value: Any) -> Any:
    """A weighting by its name, or weights per quote: its label, or its maturity as 10Y or 10."""
    if isinstance(value, Mapping):
        return {maturity(str(name)) or str(name): weight for name, weight in value.items()}
    if value in WEIGHTINGS:
        return value
    remedy = f"{choose_from(WEIGHTINGS, value)}, or give a weight for every quote"
    raise refused(f"{brief(value)} is not a weighting; {remedy}")


def _scale(value: Any) -> Any:
    """A scale of the noise by its name, or the noise itself."""
    try:
        return checked_scale(value)
    except (TypeError, ValueError) as error:
        raise refused(str(error).removeprefix("scale ")) from None


def _only(given: Mapping[str, Any], specs: Specs) -> dict[str, Any]:
    """What is given for parameters of this model."""
    return {name: value for name, value in given.items() if name in specs.names}


class CalibrationSection(Section):
    """How a day is calibrated: the arguments of `cs.calibrate`."""

    model: Annotated[str | tuple[str, ...], BeforeValidator(_models)] = DEFAULT  # or several
    solver: Solver = "global"
    order: Order = "canonical"  # of factors that can be swapped; or as the solver returns them
    weights: Annotated[Weighting | dict[float | str, NotNegative], BeforeValidator(_weights)] = (
        "rmsre"
    )
    bounds: dict[str, tuple[float, float]] = Field(default={})
    fixed: dict[str, float] = Field(default={})
    optima: bool = False  # keep the other local optima too (a tenth of a second a day)

    @model_validator(mode="after")
    def _inside_the_model(self, info: ValidationInfo) -> "CalibrationSection":
        if info.context == STORED:  # a model of then may not be here now
            return self
        try:
            every = [model_named(name).specs for name in self.models]
            known = list(dict.fromkeys(name for specs in every for name in specs.names))
            for name in (*self.bounds, *self.fixed):
                if name not in known:
                    remedy = choose_from(known, name)
                    raise ValueError(f"{brief(name)} is not a parameter; {remedy}")
            for specs in every:
                box(specs, _only(self.bounds, specs), _only(self.fixed, specs))
        except ValueError as error:
            raise refused(str(error)) from None
        return self

    @property
    def models(self) -> tuple[str, ...]:
        """Which models are calibrated, the main one first."""
        return (self.model,) if isinstance(self.model, str) else self.model

    @property
    def specs(self) -> Specs:
        """The parameters of the model, or of the first of several."""
        return model_named(self.models[0]).specs

    def of(self, model: str) -> Self:
        """The section for one of the models: bounds and fixed values of its own parameters."""
        if self.models == (model,):
            return self
        specs = model_named(model).specs
        changes = {"bounds": _only(self.bounds, specs), "fixed": _only(self.fixed, specs)}
        return self.model_copy(update={"model": model, **changes})

    @property
    def is_quick(self) -> bool:
        """Whether a day takes milliseconds."""
        return SOLVERS[self.solver].is_quick and not self.optima

    def arguments(self) -> dict[str, Any]:
        """For `calibrate` and `calibrate_many`, which take one model."""
        if len(self.models) > 1:
            problem = f"one model can be fitted here, not {', '.join(self.models)}"
            raise SettingsError("settings: calibration.model", [problem])
        weights = self.weights
        return {
            "model": self.model,
            "solver": self.solver,
            "order": self.order,
            "weights": weights if isinstance(weights, str) else MarketWeights(weights),
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
    """How a day is diagnosed: stored levels, thresholds and defaults of `DiagnosisSettings`."""

    mode: Mode = DEFAULT_MODE
    scale: Annotated[Noise, BeforeValidator(_scale)] = DEFAULT_SCALE
    method: Method | None = None  # None: profiles
    normal_quantiles: bool = False
    all_intervals: bool = False  # also of parameters at a bound; the fan charts draw every one
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
        return DiagnosisSettings(
            **{one.name: getattr(self, one.name) for one in fields(DiagnosisSettings)}
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


def _usual_limits() -> dict[str, Limits]:
    """Those of the metrics that have any, in their order."""
    return {
        name: Limits(amber=metric.amber, red=metric.red)
        for name, metric in _limited().items()
        if metric.amber is not None or metric.red is not None
    }


def _limited() -> dict[str, Metric]:
    """Every metric on whose size a limit can be set, those of other packages last."""
    return limited((*DAY_METRICS, *further_metrics().values()))


def _marks() -> dict[str, Metric]:
    """Every flag of a day, those of other packages last."""
    return marks((*DAY_METRICS, *further_metrics().values()))


def _over_the_usual(value: Any) -> Any:
    """The usual limits with these changes; false takes a limit away."""
    if not isinstance(value, Mapping):
        return value
    limits: dict[str, Any] = {name: usual.model_dump() for name, usual in _usual_limits().items()}
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
        default_factory=_usual_limits
    )
    amber: Annotated[tuple[str, ...], BeforeValidator(alone)] = ("has_outlier", "is_implausible")
    red: Annotated[tuple[str, ...], BeforeValidator(alone)] = ("is_off_optimum",)

    screening: bool = True  # a quote that screening names makes a day red, one in doubt amber
    warnings: bool = True  # what the checks find in the data makes a day amber

    @field_validator("amber", "red", "limits", mode="after")
    @classmethod
    def _known_names(cls, value: Any, info: ValidationInfo) -> Any:
        if info.context == STORED:  # a metric of then may not be here now
            return value
        known = tuple(_limited()) if info.field_name == "limits" else tuple(_marks())
        strangers = [name for name in value if name not in known]
        if strangers:
            named = ", ".join(map(brief, strangers))
            raise refused(f"there is no {named}; {choose_from(known, *strangers)}")
        return value


class ReportSection(Section):
    """What a report marks in the history of a study."""

    reference_dates: dict[datetime.date, str] = Field(  # and what happened on them
        default_factory=lambda: {
            datetime.date.fromisoformat(date): event for date, event in REFERENCE_DATES.items()
        }
    )


class StudySettings(Section):
    """The sections on studies: [calibration], [diagnosis], [governance], [report]."""

    calibration: CalibrationSection = CalibrationSection()
    diagnosis: DiagnosisSection = DiagnosisSection()
    governance: GovernanceSection = Field(default_factory=GovernanceSection)
    report: ReportSection = Field(default_factory=ReportSection)
    metrics: dict[str, str] = Field(default_factory=lambda: _versions())  # from outside, by name

    @field_validator("metrics", mode="before")
    @classmethod
    def _are_here(cls, value: Any, info: ValidationInfo) -> Any:
        """Which metrics, and with which formula, is a matter of what is installed."""
        if info.context != STORED and isinstance(value, Mapping):  # then others may have been here
            try:
                for name, version in value.items():
                    metric_with(str(name), str(version))
            except LookupError as error:
                raise refused(str(error.args[0])) from None
        return value

    def each_model(self) -> "list[StudySettings]":
        """The same for each of the models alone.

        Returns
        -------
        list[StudySettings]
            the main model first
        """
        return [self.of(name) for name in self.calibration.models]

    def of(self, model: str) -> "StudySettings":
        """The same for one of the models.

        Parameters
        ----------
        model : by name

        Returns
        -------
        StudySettings
            with bounds and fixed values of its own parameters
        """
        return self.model_copy(update={"calibration": self.calibration.of(model)})

    @property
    def further_metrics(self) -> list[Metric]:
        """The metrics of other packages; LookupError where one is not here."""
        return [metric_with(name, version) for name, version in self.metrics.items()]

    @property
    def results_hash(self) -> str:
        """A hash of all settings on which stored results depend."""
        return results_hash(self)


def _versions() -> dict[str, str]:
    return {name: metric.version for name, metric in further_metrics().items()}


class AllSettings(StudySettings, MarketSettings):
    """Every section that a settings file may have."""


def study_settings(
    settings: str | Path | Mapping[str, Any] | StudySettings | None,
    changes: Sequence[str] = (),
    preset: str | None = None,
) -> StudySettings:
    """Settings from a file, a dictionary or nothing, with single changes on top.

    Parameters
    ----------
    settings : a TOML file, or the same as nested dictionaries, such as
        ``{"calibration": {"solver": "bobyqa"}, "diagnosis": {"levels": [0.5, 0.95]}}``; settings
        of the market may be there too
    changes : like ``calibration.solver=bobyqa``
    preset : by name: settings that hold where nothing else is said
    """
    example, below = "calibration.solver=bobyqa", preset_settings(preset)
    content, where = settings_content(settings, changes, example, below)
    return part_of(checked_settings(AllSettings, content, where), StudySettings)
