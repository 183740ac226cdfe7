"""Units: declared by the user, applied here, and then verified against the numbers themselves.

A wrong unit is off by 100 or 10,000. Strikes show it against the curve's own swap rates, prices
and vols by the normal vol that they imply, curves by their rates: no Euro cap has traded at a
normal vol of 1 bp or of 1,000 bp.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.market.findings import Finding, Severity
from calibscope.market.panel import CURVES, Panel, Quantity
from calibscope.market.settings import Conventions, MarketSettings, Unit

if TYPE_CHECKING:
    from calibscope.market.assembly.joined import Joined

FACTORS = {"decimal": 1.0, "percent": 1e-2, "bp": 1e-4}


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is usual, and the band beyond which the median of a Euro market has not been: decimals.

    What is usual leaves its band when it slips by 100.
    """

    least: float
    usual: float
    most: float

    def has(self, size: float) -> bool:
        """Whether a size is inside."""
        return self.least <= size <= self.most


NORMAL_VOLS = Sizes(3e-4, 0.008, 0.03)
LOGNORMAL_VOLS = Sizes(0.03, 0.5, 8.0)
RATES = Sizes(0.0, 0.02, 0.12)
DISCOUNT_FACTORS = Sizes(0.3, 0.9, 1.2)
IF_RATES = "if these are rates, set curve.quantity = 'zero_rate'"
LARGEST_TYPICAL_RATE = 0.4  # of discount factors: overnight ones have few digits

# A slip of 100 or 10,000 in strikes, up to this factor (they differ by conventions and basis).
ABOUT = 3.0
SLIPS = (1e-4, 1e-2, 1e2, 1e4)
LARGEST_STRIKE = 0.3  # 30 percent: larger ones are in another unit
TELLING_RATE = 0.001  # near zero, ratios of rates say nothing


def in_decimals(panel: Panel, unit: Unit, conventions: Conventions) -> Array:
    """The panel's values as decimals; prices per unit notional."""
    return panel.values * (1 / conventions.notional if unit == "currency" else FACTORS[unit])


def declared_unit(panel: Panel, quote: Quantity, settings: MarketSettings) -> Unit:
    """The unit that the settings give; bid and ask are quoted like the quote itself."""
    units = (settings.curve if panel.quantity in CURVES else settings.caps).units
    if panel.quantity in ("bid", "ask"):
        return units.get(panel.quantity, units.get(quote, "decimal"))
    return units.get(panel.quantity, "decimal")


def unit_problems(tables: Sequence[Panel], settings: MarketSettings) -> list[str]:
    """Units and settings that make no sense for their quantity."""
    problems = [
        f"{panel.source}: the unit of {panel.quantity} is 'currency', which only prices can have; "
        "choose decimal, percent or bp"
        for panel in tables
        if declared_unit(panel, "price", settings) == "currency"
        and panel.quantity not in ("price", "bid", "ask")
    ]
    shifted = [panel for panel in tables if panel.quantity == "shifted_lognormal_vol"]
    if shifted and not settings.conventions.vol_shift:
        problems.append(
            f"{shifted[0].source}: shifted lognormal vols need their shift; set "
            "conventions.vol_shift = 0.03 if it is three percent"
        )
    return problems


def idle_settings(tables: Sequence[Panel], settings: MarketSettings) -> list[str]:
    """Settings that were made but have no effect on these tables."""
    given = {panel.quantity for panel in tables}
    conventions = settings.conventions
    idle = []
    if conventions.vol_shift and "shifted_lognormal_vol" not in given:
        idle.append("conventions.vol_shift (only shifted_lognormal_vol has a shift)")
    if conventions.notional != 1 and "currency" not in settings.caps.units.values():
        idle.append("conventions.notional (only prices with caps.units.price = 'currency' need it)")
    if settings.checks.interpolated == "drop" and not any(
        panel.is_interpolated is not None for panel in tables
    ):
        idle.append("checks.interpolated (no quote is marked as interpolated)")
    dates = {date for panel in tables for date in panel.dates.tolist()}
    idle += [
        f"checks.exclude (no file has {date})"
        for date in settings.checks.exclude
        if date not in dates
    ]
    for section, file in (("caps", settings.caps), ("curve", settings.curve)):
        idle += [
            f"{section}.units.{name} (there is none)" for name in file.units if name not in given
        ]
    return idle


def curve_unit_findings(curve: Panel, declared: Unit, nodes: Array, values: Array) -> list[Finding]:
    """Curves that no market has had: a slip of the unit, or of the quantity.

    Parameters
    ----------
    nodes : (k,) years
    values : (n, k) as given, in decimals
    """
    quantity = curve.quantity
    if quantity == "discount_factor":
        # The short end shows it best: a factor of 3.5 at one month is no small slip.
        given = (nodes > 0) & ~np.isnan(values).all(axis=0)
        typical = np.nanmedian(values[:, given], axis=0)
        usual, least = float(np.median(typical)), float(typical.min())
        if least <= 0 and not DISCOUNT_FACTORS.has(usual):
            text = f"{quantity} is typically {usual:.3g}, and as low as {least:.3g}; {IF_RATES}"
            return [_error(curve, text)]
        with np.errstate(divide="ignore", invalid="ignore"):
            size = float(np.nanmax(np.abs(np.log(typical)) / nodes[given]))
        if size <= LARGEST_TYPICAL_RATE:
            return []
        text = (
            f"means zero rates of {100 * size:.3g} percent; {IF_RATES}; if values are near 100, "
            "set curve.units.discount_factor = 'percent'"
        )
    else:
        size = float(np.nanmedian(np.abs(values)))
        if RATES.has(size):
            return []
        text = f"is typically {100 * size:.3g} percent; {_likely(declared, quantity, size, RATES)}"
        if DISCOUNT_FACTORS.has(size):
            text += "; if these are discount factors, set curve.quantity = 'discount_factor'"
    return [_error(curve, f"{quantity}, read in {declared}, {text}")]


def vol_unit_findings(
    quote: Panel, declared: Unit, quoted: Array, normal_vols: Array, conventions: Conventions
) -> list[Finding]:
    """Quotes whose vols are off by about 100 or 10,000."""
    quantity = quote.quantity
    normal = float(np.nanmedian(normal_vols)) if np.isfinite(normal_vols).any() else np.nan
    if quantity in ("lognormal_vol", "shifted_lognormal_vol"):
        size = float(np.nanmedian(quoted))
        if not LOGNORMAL_VOLS.has(size):
            remedy = _likely(declared, quantity, size, LOGNORMAL_VOLS)
            text = f"{quantity}, read in {declared}, is typically {100 * size:.3g} percent"
            return [_error(quote, f"{text}; {remedy}")]
        if NORMAL_VOLS.has(normal) or np.isnan(normal):
            return []
        text = f"{quantity} with conventions.vol_shift = {conventions.vol_shift:g} means"
        return [_error(quote, f"{text} normal vols of {1e4 * normal:.3g} bp; is the shift right?")]
    if NORMAL_VOLS.has(normal) or np.isnan(normal):
        return []
    if declared == "currency":
        notional = conventions.notional * 10.0 ** round(np.log10(normal / NORMAL_VOLS.usual))
        remedy = f"if the notional is {notional:g}, set conventions.notional = {notional:g}"
    else:
        remedy = _likely(declared, quantity, normal, NORMAL_VOLS)
    if quantity == "normal_vol" and LOGNORMAL_VOLS.has(normal):
        remedy += "; if these are lognormal vols, set caps.quantity = 'lognormal_vol'"
    if quantity == "price":  # what a wide table holds if nothing says otherwise
        remedy += "; if these are normal vols, set caps.quantity = 'normal_vol'"
    text = f"{quantity}, read in {declared}, means a typical normal vol of {1e4 * normal:.3g} bp"
    return [_error(quote, f"{text}; {remedy}")]


def strike_slips(strikes: Array) -> BoolArray:
    """(n, m) strikes that are too large for a rate where most are not: single slips, no unit."""
    is_large = np.isfinite(strikes) & (np.abs(strikes) > LARGEST_STRIKE)
    return np.asarray(is_large & (not _are_large(strikes)))


def strike_unit_findings(
    strike: Panel, declared: Unit, table: "Joined", atm: Array
) -> list[Finding]:
    """Strikes that are about 100 or 10,000 times the curve's swap rates.

    Those that tell quotes apart may be far from the money, and count only if most of all strikes
    are too large for a rate.

    Parameters
    ----------
    declared : the unit of the strikes
    table : with the strikes, in decimals
    atm : (n, m) the swap rates
    """
    given = table.strikes
    assert given is not None
    compared = np.full(given.shape, _are_large(given)) | ~table.axis.is_struck
    compared &= (np.abs(atm) > TELLING_RATE) & ~np.isnan(given)
    if not compared.any():
        return []
    slope = float(np.median(np.abs(given[compared] / atm[compared])))
    for slip in SLIPS:
        if slip / ABOUT < slope < slip * ABOUT:
            text = f"strikes, read in {declared}, are about {slip:g} times the curve's swap rates"
            remedy = _unit_for(declared, "strike", 1 / slip)
            return [_error(strike, f"{text}; {remedy}{_of_another_unit(table, slip)}")]
    return []


def _are_large(strikes: Array) -> bool:
    """Whether most strikes are too large for a rate."""
    given = np.abs(strikes[~np.isnan(strikes)])
    return bool(given.size and np.median(given) > LARGEST_STRIKE)


def _of_another_unit(table: "Joined", slip: float) -> str:
    """Strikes that the remedy would spoil, as they are in decimals already."""
    assert table.strikes is not None
    small = (np.abs(table.strikes) < LARGEST_STRIKE / ABOUT) & (table.strikes != 0)
    if slip < 1 or not small.any():
        return ""
    i, k = np.argwhere(small)[0]
    count = int(small.sum())
    are = "is" if count == 1 else f"and {count - 1} more are"
    first = f"{table.strikes[i, k]:g} ({table.dates[i]}, {table.axis.labels[k]})"
    return f". But {first} {are} much smaller: correct what is in another unit first"


def _error(panel: Panel, message: str) -> Finding:
    return Finding(Severity.ERROR, panel.source, message, check="units")


def _likely(declared: Unit, quantity: Quantity, size: float, sizes: Sizes) -> str:
    """The remedy: the unit that brings the size nearest to what is usual."""
    factor = min(SLIPS, key=lambda slip: abs(np.log(size * slip / sizes.usual)))
    if sizes.has(size * factor):
        return _unit_for(declared, quantity, factor)
    if quantity == "price":
        notional = 10.0 ** round(np.log10(size * FACTORS[declared] ** -1 / sizes.usual))
        return (
            "if prices are amounts of money, set caps.units.price = 'currency' and "
            f"conventions.notional = {notional:g}, or your notional"
        )
    return "check unit and quantity"


def _unit_for(declared: Unit, quantity: Quantity, factor: float) -> str:
    section = "curve" if quantity in CURVES else "caps"
    wanted = FACTORS[declared] * factor
    for unit, value in FACTORS.items():
        if np.isclose(value, wanted):
            return f"if values are in {unit}, set {section}.units.{quantity} = {unit!r}"
    return f"they are off by a factor of about {1 / factor:g}; check unit and quantity"
