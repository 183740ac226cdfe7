"""Settings whose values are words, for the shell to complete: --set calibration.solver=bobyqa.

All but the solvers are repeated here from the settings themselves, which take too long to import
while somebody waits at the prompt; a test compares them.
"""

from typing import TYPE_CHECKING

import click

from calibscope.calibration.solvers import SOLVERS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LAYOUTS = ("long", "wide", "tidy", "blocks")
OF_CAPS = (
    "price", "normal_vol", "lognormal_vol", "shifted_lognormal_vol", "strike", "bid", "ask",
)  # fmt: skip
OF_CURVES = ("discount_factor", "zero_rate", "par_rate")
UNITS = ("decimal", "percent", "bp", "currency")
YES_OR_NO = ("true", "false")

WORDS: dict[str, tuple[str, ...]] = {
    "calibration.model": ("g2++", "hull-white"),
    "calibration.solver": tuple(SOLVERS),
    "calibration.weights": ("rmsre", "absolute", "vega", "leverage_balanced"),
    "calibration.order": ("canonical", "solver"),
    "calibration.optima": YES_OR_NO,
    "diagnosis.mode": ("active", "full", "strict"),
    "diagnosis.scale": ("mse", "mad", "mad_adjusted"),
    "diagnosis.method": ("delta", "profile", "bootstrap"),
    "diagnosis.normal_quantiles": YES_OR_NO,
    "diagnosis.all_intervals": YES_OR_NO,
    "governance.screening": YES_OR_NO,
    "governance.warnings": YES_OR_NO,
    "caps.layout": LAYOUTS,
    "caps.quantity": OF_CAPS,
    **{f"caps.units.{quantity}": UNITS for quantity in OF_CAPS},
    "curve.layout": LAYOUTS,
    "curve.quantity": OF_CURVES,
    **{f"curve.units.{quantity}": UNITS for quantity in OF_CURVES},
    "conventions.kind": ("cap", "floor"),
    "conventions.tenor": ("6M", "3M"),
    "conventions.first_caplet": YES_OR_NO,
    "conventions.atm": ("forward", "spot"),
    "conventions.schedule": ("idealised", "TARGET"),
    "conventions.compounding": (
        "continuous", "annual", "semiannual", "quarterly", "monthly", "simple",
    ),
    "conventions.ois_index": ("ESTR", "EONIA"),
    "conventions.interpolation": (
        "log-linear", "log-cubic", "monotone-convex", "svensson", "svensson-spline", "paper",
    ),
    "checks.incomplete": ("keep", "drop"),
    "checks.interpolated": ("keep", "drop"),
}  # fmt: skip


def completed_setting(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """All settings that begin so."""
    from click.shell_completion import CompletionItem

    settings = (f"{name}={word}" for name, words in WORDS.items() for word in words)
    return [CompletionItem(text) for text in settings if text.startswith(incomplete)]
