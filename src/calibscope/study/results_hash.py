"""Which settings results depend on: their hash decides whether a stored day is still valid.

It covers what counts, not what was written: bounds that are the model's own change nothing, and a
model from another package counts with its bounds and its formula. Settings that came later are left
out at their defaults, so that stores stay valid.
"""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from calibscope.calibration.problem import box
from calibscope.models.model import BUILT_IN, DEFAULT, model_named
from calibscope.study.formula import version_of

if TYPE_CHECKING:
    from calibscope.study.settings import CalibrationSection, StudySettings

SINCE = {
    "calibration": ("order",),
    "diagnosis": ("scale", "method", "normal_quantiles", "all_intervals"),
}
# Bounds that the first hashes took for granted. Where a model gets others, its days are computed
# anew; these stay as they are.
USUAL_BOUNDS = {
    "g2++": {
        "a_x": (1e-5, 10.0), "a_y": (1e-5, 10.0), "sigma_x": (1e-5, 1.0), "sigma_y": (1e-5, 1.0),
        "rho_xy": (-1.0, 1.0),
    },
    "hull-white": {"a": (1e-5, 10.0), "sigma": (1e-5, 1.0)},
}  # fmt: skip


def results_hash(settings: "StudySettings") -> str:
    """Of the settings of one model; of several, that of their hashes."""
    if len(settings.calibration.models) > 1:
        return _hash([results_hash(one) for one in settings.each_model()])
    content = json.loads(settings.model_dump_json(include={"calibration", "diagnosis", "metrics"}))
    content["calibration"]["bounds"] = _unusual_bounds(settings.calibration)
    if version := model_version(settings.calibration.models[0]):
        content["calibration"]["model_version"] = version
    if settings.calibration.model == DEFAULT:  # as before there were others
        del content["calibration"]["model"]
    for name, later in SINCE.items():
        section = getattr(settings, name)
        usual = type(section)()
        for setting in later:
            if getattr(section, setting) == getattr(usual, setting):
                del content[name][setting]
    if not settings.metrics:
        del content["metrics"]
    return _hash(content)


def model_version(model: str) -> str | None:
    """Which formula a model from another package has; calibscope's own go by its version."""
    return None if model in BUILT_IN else version_of(model_named(model))


def effective_bounds(section: "CalibrationSection") -> dict[str, tuple[float, float]]:
    """The bounds of every parameter, as they count, by name."""
    lower, upper = box(section.specs, section.bounds, section.fixed)
    pairs = zip(lower.tolist(), upper.tolist(), strict=True)
    return dict(zip(section.specs.names, pairs, strict=True))


def _unusual_bounds(section: "CalibrationSection") -> dict[str, tuple[float, float]]:
    """Bounds as they count, but for fixed parameters, where they are not those of the beginning."""
    usual = USUAL_BOUNDS.get(section.models[0], {})
    found = effective_bounds(section.model_copy(update={"fixed": {}}))
    return {name: pair for name, pair in found.items() if pair != usual.get(name)}


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
