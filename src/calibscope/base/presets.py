"""Presets: settings that belong together, under one name.

"paper" repeats the method of Mahler and Ruckdeschel, "Advanced Calibration Analysis and Tools":
take it to compare with their numbers. It is stated here alone, as part of a settings file would
be; `read_market`, `calibrate`, `diagnose`, `run_study` and the terminal take their sections from
it. Whatever is said beside a preset, in a settings file or as an argument, counts more than the
preset.
"""

from collections.abc import Mapping
from typing import Any

from calibscope.base.errors import SettingsError
from calibscope.base.spelling import choose_from, plain

Content = Mapping[str, Mapping[str, Any]]  # settings by section

PAPER: Content = {
    # Observed factors at observed maturities, Svensson between (section on the term structure).
    "conventions": {"interpolation": "paper"},
    # Only complete days are kept (the same section).
    "checks": {"incomplete": "drop"},
    # Without derivatives, in the parameters as the solver returns them (experimental procedure).
    "calibration": {"solver": "bobyqa", "order": "solver"},
    "diagnosis": {
        # All five columns of the Jacobian count, also of parameters at a bound (section on EDoF).
        "mode": "full",
        # Robust scale, normal quantiles whatever the scale, by the delta method, for every
        # parameter and day (section on confidence intervals, appendix on uncertainty scaling).
        "scale": "mad",
        "normal_quantiles": True,
        "method": "delta",
        "all_intervals": True,
    },
}
PRESETS: Mapping[str, Content] = {"paper": PAPER}


def preset_settings(preset: str | None) -> Content:
    """What a preset says, by section; nothing without one.

    Parameters
    ----------
    preset : by name, such as "paper"

    Returns
    -------
    Content
        settings by section, as in a settings file

    Raises
    ------
    SettingsError
        with the names that there are, if it is not one of them

    Examples
    --------
    >>> preset_settings("paper")["calibration"]
    {'solver': 'bobyqa', 'order': 'solver'}
    """
    if preset is None:
        return {}
    found = PRESETS.get(plain(preset)) if isinstance(preset, str) else None
    if found is None:
        remedy = f"{preset!r} is not a preset; {choose_from(PRESETS, preset)}"
        raise SettingsError("preset", [remedy])
    return found


def section_of(preset: str | None, section: str, **said: Any) -> dict[str, Any]:
    """One section of a preset, with what else was said above it; None adds nothing.

    >>> section_of("paper", "calibration", solver="newton", order=None)
    {'solver': 'newton', 'order': 'solver'}
    """
    above = {name: value for name, value in said.items() if value is not None}
    return {**preset_settings(preset).get(section, {}), **above}
