"""Days that can be used but deserve a look: each check returns its warnings.

A warning changes nothing. What makes a day unusable (gaps, impossible prices) is decided in
`assemble.py`, before these checks see it.
"""

import warnings
from collections.abc import Iterator

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.numbers import counted
from calibscope.market.assembly.axis import Axis
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.assembly.units import idle_settings
from calibscope.market.calendar import is_business_day
from calibscope.market.findings import Finding, Severity, warning
from calibscope.market.maturity import label
from calibscope.market.panel import Dates
from calibscope.market.settings import MarketSettings
from calibscope.market.strikes import StrikeGaps, Verdict

# Two quiet months tell the usual size of a daily change, on either side of the day.
WINDOW = 41
FEWEST_DAYS = 30  # below, there is no usual size, and jumps are not looked for

# Flat vols of neighbouring maturities; 1Y against 2Y has reached 2.
LARGEST_STEP = 3.0


def warnings_of(
    table: Joined,
    tables: Tables,
    prices: Array,
    normal_vols: Array,
    logs: Array,
    gaps: StrikeGaps | None,
    settings: MarketSettings,
) -> list[Finding]:
    """All warnings about the days that are kept, in the order of dates within each check."""
    caps, curve = tables.quote.source, tables.curve.source
    dates, axis, later = table.dates, table.axis, table.nodes > 0
    nodes = table.nodes[later]
    return [
        *_convention_warnings(tables, gaps, settings),
        *_unused_curve_warnings(tables),
        *_idle_setting_warnings(tables, settings),
        *_daily_strike_warnings(table, tables),
        *_left_out_warnings(table, tables, settings),
        *calendar_warnings(caps, dates),
        *stale_warnings(caps, dates, table.quotes, "quotes"),
        *stale_warnings(curve, dates, table.curves, "curves"),
        *arbitrage_warnings(caps, dates, axis, prices, normal_vols),
        *step_warnings(caps, dates, axis, normal_vols),
        *jump_warnings(caps, dates, axis, normal_vols, settings.checks.jump_mads),
        *rate_jump_warnings(
            curve, dates, nodes, -logs[:, later] / nodes, settings.checks.jump_mads
        ),
    ]


def _convention_warnings(
    tables: Tables, gaps: StrikeGaps | None, settings: MarketSettings
) -> list[Finding]:
    """Given strikes that contradict the settings."""
    if gaps is None or tables.strike is None:
        return []
    included = settings.conventions.first_caplet
    if gaps.verdict is Verdict.BASIS:
        message = (
            f"strikes lie {gaps.basis_bp:+.1f} bp from {gaps.nearer.rate} of the curve, typically; "
            "strikes are kept, but forwards and vols are those of the given curve (single-curve)"
        )
    elif included != (gaps.verdict is Verdict.SPOT):
        message = (
            f"{gaps.verdict.value}; the settings say the opposite: "
            f"conventions.first_caplet = {str(not included).lower()}?"
        )
    else:
        return []
    return [Finding(Severity.WARNING, tables.strike.source, message, check="strike convention")]


def _idle_setting_warnings(tables: Tables, settings: MarketSettings) -> list[Finding]:
    """Settings without effect: something is not as the user thinks."""
    return [
        Finding(Severity.WARNING, "settings", f"{idle} has no effect", check="idle setting")
        for idle in idle_settings(list(tables), settings)
    ]


def _daily_strike_warnings(table: Joined, tables: Tables) -> list[Finding]:
    """Strikes that come only once, although they tell quotes apart: most likely at the money."""
    once = table.axis.is_struck & (np.sum(~np.isnan(table.quotes), axis=0) == 1)
    if len(table.dates) == 1 or once.sum() < 2:
        return []
    first = table.axis.only(once).labels[0]
    message = (
        f"{once.sum()} strikes are quoted on one day only, such as {first}; write ATM for those "
        "that are at the money, so that their quotes have the same name every day"
    )
    return [Finding(Severity.WARNING, tables.quote.source, message, check="daily strikes")]


def _left_out_warnings(table: Joined, tables: Tables, settings: MarketSettings) -> list[Finding]:
    """Quotes that are gone from all days, as interpolated ones were to be left out."""
    if settings.checks.interpolated != "drop" or settings.checks.maturities is not None:
        return []
    every, kept = Axis.of_values(tables.quote, settings), set(table.axis.keys)
    gone = [name for name, key in zip(every.labels, every.keys, strict=True) if key not in kept]
    if not gone:
        return []
    are = "is" if len(gone) == 1 else "are"
    message = f"{', '.join(gone)} {are} left out, interpolated on all days"
    return [Finding(Severity.WARNING, tables.quote.source, message, check="interpolated")]


def _unused_curve_warnings(tables: Tables) -> list[Finding]:
    """Curves before the first and after the last cap quote: not used."""
    caps = np.concatenate([panel.dates for panel in tables if panel is not tables.curve])
    dates = tables.curve.dates
    unused = int(np.sum((dates < caps.min()) | (dates > caps.max())))
    if not unused:
        return []
    are = counted(unused, "curve is", "curves are")
    message = f"{are} dated before or after all cap quotes, and not used"
    return [Finding(Severity.WARNING, tables.curve.source, message, check="unused curves")]


def calendar_warnings(source: str, dates: Dates) -> list[Finding]:
    """Weekends and TARGET holidays, on which nobody quotes."""
    closed = dates[~is_business_day(dates)]
    return [
        warning(
            source,
            f"is a {'weekend' if _is_weekend(date) else 'TARGET holiday'}; a wrong or repeated "
            "date?",
            date,
            None,
            "closed market",
        )
        for date in closed
    ]


def stale_warnings(source: str, dates: Dates, quoted: Array, what: str) -> list[Finding]:
    """Days whose quotes are all identical to those of the day before."""
    same = ((quoted[1:] == quoted[:-1]) | np.isnan(quoted[1:])).all(axis=1)
    return [
        warning(
            source,
            f"all {what} are those of {dates[i]}; carried forward?",
            dates[i + 1],
            None,
            f"stale {what}",
        )
        for i in np.flatnonzero(same)
    ]


def arbitrage_warnings(
    source: str, dates: Dates, axis: Axis, prices: Array, normal_vols: Array
) -> list[Finding]:
    """Caps that cost no more than shorter ones, or imply a negative forward variance.

    The implied forward variance between two maturities is the growth of vol^2 * maturity.
    """
    before, after = axis.neighbours
    findings = [
        _about(
            source,
            f"costs {prices[i, k]:.6g}, the {label(axis.maturities[j])} {axis.kinds[k]} "
            f"{prices[i, j]:.6g}; a longer {axis.kinds[k]} should cost more",
            dates[i],
            axis,
            k,
            "price order",
        )
        for i, j, k in _pairs(prices[:, after] <= prices[:, before], before, after)
    ]
    variance = normal_vols**2 * axis.maturities
    return findings + [
        _about(
            source,
            f"normal vol {1e4 * normal_vols[i, k]:.1f} bp after "
            f"{1e4 * normal_vols[i, j]:.1f} bp at {label(axis.maturities[j])} implies a negative "
            "forward variance",
            dates[i],
            axis,
            k,
            "forward variance",
        )
        for i, j, k in _pairs(variance[:, after] <= variance[:, before], before, after)
    ]


def step_warnings(source: str, dates: Dates, axis: Axis, normal_vols: Array) -> list[Finding]:
    """Vols that differ from those of a neighbouring maturity by a large factor."""
    before, after = axis.neighbours
    ratios = normal_vols[:, after] / normal_vols[:, before]
    far = (ratios > LARGEST_STEP) | (ratios < 1 / LARGEST_STEP)
    return [
        _about(
            source,
            f"normal vol is {1e4 * normal_vols[i, k]:.1f} bp, but "
            f"{1e4 * normal_vols[i, j]:.1f} bp at {label(axis.maturities[j])}; a slip?",
            dates[i],
            axis,
            k,
            "vol step",
        )
        for i, j, k in _pairs(far, before, after)
    ]


def jump_warnings(
    source: str, dates: Dates, axis: Axis, normal_vols: Array, limit: float
) -> list[Finding]:
    """Vols that jump by many times their usual daily change, and the days around them.

    The usual change is the median absolute one in a window around the day, so that a turbulent
    year is measured by its own standard.
    """
    changes = np.diff(np.log(normal_vols), axis=0)
    if len(changes) < FEWEST_DAYS:
        return []
    usual = np.fmax(_moving_median(np.abs(changes)), 1e-6)
    return [
        _about(
            source,
            f"normal vol moves by {100 * np.expm1(changes[i, k]):+.1f} % to "
            f"{1e4 * normal_vols[i + 1, k]:.1f} bp, {abs(changes[i, k]) / usual[i, k]:.0f} times "
            "the usual daily change",
            dates[i + 1],
            axis,
            k,
            "jump",
        )
        for i, k in _places(np.abs(changes) > limit * usual)
    ]


def rate_jump_warnings(
    source: str, dates: Dates, nodes: Array, zeros: Array, limit: float
) -> list[Finding]:
    """The same for zero rates from one year on; differences, not ratios."""
    changes = np.diff(zeros, axis=0)
    if len(changes) < FEWEST_DAYS:
        return []
    usual = np.fmax(_moving_median(np.abs(changes)), 1e-5)
    return [
        warning(
            source,
            f"zero rate moves by {1e4 * changes[i, j]:+.1f} bp to {100 * zeros[i + 1, j]:.2f} %, "
            f"{abs(changes[i, j]) / usual[i, j]:.0f} times the usual daily change",
            dates[i + 1],
            nodes[j],
            "rate jump",
        )
        for i, j in _places(np.abs(changes) > limit * usual)
        if nodes[j] >= 1
    ]


def _moving_median(values: Array) -> Array:
    """Medians over a window of days around each day, mirrored at the ends.

    Computed for every fifth day; its neighbours have nearly the same window.
    """
    half = WINDOW // 2
    padded = np.pad(values, ((half, half), (0, 0)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW, axis=0)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # windows of gaps only
        every_fifth = (
            np.nanmedian(windows[::5], axis=-1)
            if np.isnan(values).any()
            else (np.median(windows[::5], axis=-1))
        )
    return np.repeat(every_fifth, 5, axis=0)[: len(values)]


def _about(
    source: str, message: str, date: np.datetime64, axis: Axis, k: int, check: str
) -> Finding:
    """A warning about the quote in column k."""
    return warning(source, message, date, axis.maturities[k], check, axis.labels[k])


def _pairs(marks: BoolArray, before: Indices, after: Indices) -> Iterator[tuple[int, int, int]]:
    """Day and columns of the marked pairs."""
    return ((i, int(before[p]), int(after[p])) for i, p in _places(marks))


def _places(marks: BoolArray) -> Iterator[tuple[int, int]]:
    return ((int(i), int(k)) for i, k in np.argwhere(marks))


def _is_weekend(date: np.datetime64) -> bool:
    return not np.is_busday(date)
