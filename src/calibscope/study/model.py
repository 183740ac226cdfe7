"""The model whose fits a study stores: G2++, by its parameters."""

from calibscope.base.errors import SettingsError
from calibscope.models.g2.parameters import PARAMETERS, SPECS
from calibscope.models.model import DEFAULT

__all__ = ["PARAMETERS", "SPECS", "refuse_others"]


def refuse_others(model: str) -> None:
    """Say that a study cannot store the fits of another model."""
    if model != DEFAULT:
        remedy = "take calibscope day --model, or cs.calibrate_many and cs.diagnose_many"
        problem = f"a study stores fits of {DEFAULT} only, and this is {model!r}; {remedy}"
        raise SettingsError("settings: calibration.model", [problem])
