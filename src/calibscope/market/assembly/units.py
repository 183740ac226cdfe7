"""Units: declared by the user, applied here, and then verified against the numbers themselves.

A wrong unit is off by 100 or 10,000. Strikes show it against the curve's own swap rates, prices
and vols by the normal vol that they imply, curves by their rates: no Euro cap has traded at a
normal vol of 1 bp or of 1,000 bp.
"""

from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.findings import Finding, Severity
from calibscope.market.panel import CURVES, QUOTES, Panel, Quantity
from calibscope.market.settings import Conventions, FileSettings, MarketSettings, Unit

FACTORS = {"decimal": 1.0, "percent": 1e-2, "bp": 1e-4}

# Medians outside these bands are no market anybody has seen. Each band is less than a factor of
# 100 wide on either side of what is usual, so that a slip of 100 always leaves it.
PLAUSIBLE_NORMAL_VOL = (3e-4, 3e-2)
PLAUSIBLE_LOGNORMAL_VOL = (0.03, 8.0)
LARGEST_RATE = 0.4

# A slip of 100 or 10,000 up to this factor (swap rates differ by conventions and basis).
ABOUT = 3.0
SLIPS = (1e-4, 1e-2, 1e2, 1e4)


def in_decimals(panel: Panel, file: FileSettings, conventions: Conventions) -> Array:
    """The panel's values as decimals; prices per unit notional."""
    unit = declared_unit(panel.quantity, file)
    return panel.values * (1 / conventions.notional if unit == "currency" else FACTORS[unit])


def declared_unit(quantity: Quantity, file: FileSettings) -> Unit:
    """The unit that the settings give; bid and ask are quoted like the quote itself."""
    if quantity in ("bid", "ask") and quantity not in file.units:
        for quote in QUOTES:
            if quote in file.units:
                return file.units[quote]
    return file.units.get(quantity, "decimal")


def unit_problems(panels: Sequence[Panel], settings: MarketSettings) -> list[Finding]:
    """Units that make no sense for their quantity."""
    return [
        Finding(
            Severity.ERROR,
            panel.source,
            f"the unit of {panel.quantity} is 'currency', which only prices can have; choose "
            "decimal, percent or bp",
            check="units",
        )
        for panel in panels
        for file in (settings.curve if panel.quantity in CURVES else settings.caps,)
        if declared_unit(panel.quantity, file) == "currency"
        and panel.quantity not in ("price", "bid", "ask")
    ]


def curve_unit_findings(curve: Panel, declared: Unit, zeros: Array) -> list[Finding]:
    """Zero rates of the whole history that no curve has had; a slip of the curve's unit."""
    source, quantity = curve.source, curve.quantity
    size = float(np.nanmedian(np.abs(zeros)))
    if size <= LARGEST_RATE:
        return []
    remedy = (
        "if they are near 100, say curve.units.discount_factor = 'percent'; if they are rates, "
        "they are no discount factors: curve.quantity = 'zero_rate'"
        if quantity == "discount_factor"
        else _likely(declared, quantity, size, (1e-4, LARGEST_RATE), "curve")
    )
    message = f"{quantity} ({declared}) means zero rates of {100 * size:.3g} percent; {remedy}"
    return [Finding(Severity.ERROR, source, message, check="units")]


def vol_unit_findings(
    quote: Panel, declared: Unit, quoted: Array, rough_vols: Array
) -> list[Finding]:
    """Quotes whose vols are off by about 100 or 10,000."""
    source, quantity = quote.source, quote.quantity
    if quantity in ("lognormal_vol", "shifted_lognormal_vol"):
        size, band = float(np.nanmedian(quoted)), PLAUSIBLE_LOGNORMAL_VOL
        seen = f"vols of {100 * size:.3g} percent"
    elif quantity == "normal_vol":
        size, band = float(np.nanmedian(quoted)), PLAUSIBLE_NORMAL_VOL
        seen = f"normal vols of {1e4 * size:.3g} bp"
    else:
        size, band = float(np.nanmedian(rough_vols)), PLAUSIBLE_NORMAL_VOL
        seen = f"normal vols of {1e4 * size:.3g} bp"
    if not size > 0 or band[0] <= size <= band[1]:
        return []
    remedy = _likely(declared, quantity, size, band, "caps")
    message = f"{quantity} ({declared}) means {seen}, typically; {remedy}"
    return [Finding(Severity.ERROR, source, message, check="units")]


def strike_unit_findings(strike: Panel, declared: Unit, given: Array, atm: Array) -> list[Finding]:
    """Strikes that are about 100 or 10,000 times the curve's swap rates."""
    # A regression through the origin: single rates may be near zero, not all of them.
    slope = float(np.nansum(given * atm) / np.nansum(atm * atm))
    for slip in SLIPS:
        if slip / ABOUT < slope < slip * ABOUT:
            remedy = _unit_for(declared, "strike", 1 / slip, "caps")
            message = (
                f"strikes ({declared}) are about {slip:g} times the swap rates of the curve; "
                f"{remedy}"
            )
            return [Finding(Severity.ERROR, strike.source, message, check="units")]
    return []


def _likely(
    declared: Unit, quantity: Quantity, size: float, band: tuple[float, float], section: str
) -> str:
    """The remedy: which declared unit would make the size plausible."""
    target = np.sqrt(band[0] * band[1])
    factor = min(SLIPS, key=lambda slip: abs(np.log(size * slip / target)))
    return _unit_for(declared, quantity, factor, section)


def _unit_for(declared: Unit, quantity: Quantity, factor: float, section: str) -> str:
    if declared == "currency":
        return f"is conventions.notional about {1 / factor:g} times too small or too large?"
    wanted = FACTORS[declared] * factor
    for unit, value in FACTORS.items():
        if np.isclose(value, wanted):
            return f"are they in {unit}? Then say so: {section}.units.{quantity} = {unit!r}"
    return f"they are off by about {1 / factor:g}; check unit and quantity"
