"""What a diagnosis can be told: where numbers become flags, and what holds if nothing is said.

Each threshold has its name, unit, sentence and default here alone. Settings of studies, reports and
the documentation read them here.
"""

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args

from calibscope.base.presets import section_of
from calibscope.diagnosis.linear.uncertainty import DEFAULT_SCALE, Noise

Mode = Literal["active", "full", "strict"]
Method = Literal["delta", "profile", "bootstrap"]

MODES: tuple[str, ...] = get_args(Mode)
DEFAULT_MODE: Mode = "active"

LEVELS = (0.5, 0.75, 0.95)  # of intervals, where several are shown


@dataclass(frozen=True, slots=True)
class Threshold:
    """What there is to know of a threshold."""

    name: str  # of the setting
    unit: str
    sentence: str
    default: float


def _threshold(default: float, unit: str, sentence: str) -> Any:
    return field(default=default, metadata={"unit": unit, "sentence": sentence})


@dataclass(frozen=True, slots=True)
class DiagnosisSettings:
    """Thresholds and defaults of a diagnosis; `dataclasses.replace` changes one."""

    is_shared: ClassVar[bool] = True

    rank_tolerance: float = _threshold(
        1.5e-8, "largest singular value", "singular values below this do not count"
    )
    tikhonov: float = _threshold(
        1e-8, "largest singular value squared", "the penalty lambda of Tikhonov's EDoF"
    )
    unidentified_share: float = _threshold(
        0.05, "1", "squared length of a parameter's unit vector that was dropped"
    )
    leverage_near_one: float = _threshold(0.95, "1", "beyond, the Noether condition is in doubt")
    forced_leverage: float = _threshold(
        1.0 - 1e-12, "1", "beyond, a quote is met whatever its value"
    )
    multiplier_errors: float = _threshold(
        2.0, "standard errors", "above, the multiplier of a bound says that it holds"
    )
    masking: float = _threshold(
        2.0, "scale_mse over scale_mad", "beyond, few residuals set the scale"
    )
    curvature: float = _threshold(0.1, "1", "largest |eigenvalue| of what Gauss-Newton leaves out")
    influence_disagreement: float = _threshold(
        0.1, "relative", "distance of Gauss-Newton's influence from the exact one"
    )
    smallest_eigenvalue: float = _threshold(
        1e-6, "1", "of the exact Hessian over Gauss-Newton's: below, it is singular"
    )
    relative_offset: float = _threshold(
        1e-6, "1", "beyond, the residuals are not those of an optimum"
    )
    perfect: float = _threshold(
        1e-10, "residuals over observations", "below, there is no noise to measure"
    )
    cooks_distance: float = _threshold(
        1.0, "1", "beyond, one quote moves the parameters out of their own region"
    )
    outlier_probability: float = _threshold(
        0.05, "probability", "of an outlier on a day without any (Bonferroni)"
    )
    edof_disagreement: float = _threshold(
        0.5, "directions", "distance between Tikhonov's EDoF and the rank"
    )
    level: float = _threshold(0.95, "probability", "of the intervals whose cuts are flagged")

    mode: Mode = DEFAULT_MODE  # which parameters are held fixed
    scale: Noise = DEFAULT_SCALE  # of the noise
    method: Method | None = None  # of intervals; None: profiles where the fit can be repeated
    normal_quantiles: bool = False  # delta intervals have them whatever the scale
    all_intervals: bool = False  # delta intervals also of parameters at a bound


USUAL = DiagnosisSettings()
THRESHOLDS = {
    one.name: Threshold(one.name, **one.metadata, default=getattr(USUAL, one.name))
    for one in fields(DiagnosisSettings)
    if one.metadata
}


def diagnosis_settings(
    settings: DiagnosisSettings | None = None, preset: str | None = None
) -> DiagnosisSettings:
    """Settings above a preset: what differs from the default counts more than the preset."""
    given = settings or USUAL
    said = {one.name: getattr(given, one.name) for one in fields(DiagnosisSettings)}
    own = {name: value for name, value in said.items() if value != getattr(USUAL, name)}
    return DiagnosisSettings(**section_of(preset, "diagnosis", **own))
