"""What the results take for granted: as it was used, not as it was written."""

import json
from typing import Any

from calibscope.base.numbers import PERCENT, counted, number, percent
from calibscope.calibration.solvers import SOLVERS
from calibscope.report.document import Paragraph, Section, section, table
from calibscope.report.sections.study_quotes import quoted_kinds, strikes_sentence
from calibscope.study.results_hash import effective_bounds
from calibscope.study.statistics.completeness import incomplete_days
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

WEIGHTS = {
    "rmsre": "relative pricing errors count alike (1/price^2), so that the objective is the RMSRE",
    "absolute": "pricing errors per unit notional count alike",
    "vega": "errors in flat normal vol count alike (1/vega^2)",
    "leverage_balanced": "chosen so that no quote dominates (leverage_balanced)",
}
NOISE = {
    "mse": "from the mean square of the day's residuals",
    "mad": "from the median absolute deviation of the day's residuals",
    "mad_adjusted": "from the median absolute deviation, adjusted for leverage",
    "bid_ask": "the quoted bid-ask spread",
}
MODES = {
    "active": "parameters that their bounds hold count as fixed",
    "full": "all parameters count as free, as in the paper",
    "strict": "all parameters at a bound count as fixed",
}
LONGEST = 16  # maturities by name


def assumptions(study: Study, day: StoredDay) -> Section:
    """Curves, conventions, quotes, model, bounds, weights, solver, noise."""
    rows = [
        ("Quotes", _quotes(study)),
        ("Curve", _curve(study)),
        ("Conventions", _conventions(study)),
        (f"Maturities ({day.date:%Y-%m-%d})", _maturities(day)),
        ("Model", f"{study.model_of(study.model).title}, {counted(len(study.specs), 'parameter')}"),
        ("Bounds", _bounds(study)),
        ("Plausible", _plausible(study)),
        ("Fixed", _fixed(study)),
        ("Weights", _weights(study)),
        ("Solver", _solver(study)),
        ("Noise", _noise(study, day)),
        ("Intervals", _intervals(study, day)),
    ]
    return section(
        "assumptions",
        "Assumptions",
        table("As used", ("what", "as used"), [row for row in rows if row[1]]),
        Paragraph(_days(study)),
    )


def _read(study: Study) -> dict[str, Any]:
    """How the files were read; empty where days were made in Python."""
    texts = study.runs["effective_settings"].dropna()
    read: dict[str, Any] = (json.loads(texts.iloc[-1])["market"] if len(texts) else None) or {}
    return read


def _quotes(study: Study) -> str:
    conventions = json.loads(study.runs["conventions"].iloc[-1])
    strikes = strikes_sentence(study)
    kinds = quoted_kinds(study)
    words = "at the money" if strikes.endswith("are at the money") else strikes
    return f"{kinds}, {words}; given as {conventions.get('quotes') or 'prices'}"


def _curve(study: Study) -> str:
    conventions = json.loads(study.runs["conventions"].iloc[-1])
    curves = conventions.get("curves") or "curves"
    how = _read(study).get("conventions", {}).get("interpolation")
    given = f"given as {curves}" + (f", {how} interpolation" if how else "")
    return f"one curve discounts and gives the forward rates (single curve); {given}"


def _conventions(study: Study) -> str:
    read = _read(study).get("conventions")
    if not read:
        return ""
    first = "included" if read["first_caplet"] else "excluded"
    grid = {"idealised": "equal periods (idealised)"}.get(read["schedule"], read["schedule"])
    notional = "prices per unit notional" if read["notional"] == 1 else (
        f"notional {number(read['notional'], ',.10g')}"
    )  # fmt: skip
    shift = f"; shifted vols ({percent(read['vol_shift'])})" if read["vol_shift"] else ""
    return f"tenor {read['tenor']}; first caplet {first}; {grid}; {notional}{shift}"


def _maturities(day: StoredDay) -> str:
    labels = list(day.quotes.index)
    named = ", ".join(labels[:LONGEST])
    more = f" and {len(labels) - LONGEST} more" if len(labels) > LONGEST else ""
    marked = day.quotes["is_interpolated"].fillna(False).astype(bool)
    note = f"; {int(marked.sum())} of them interpolated" if marked.any() else ""
    return f"{counted(len(labels), 'quote')}: {named}{more}{note}"


def _bounds(study: Study) -> str:
    ends = effective_bounds(study.settings.calibration)
    return "; ".join(
        f"{name} {number(low, 'g')} to {number(high, 'g')}"
        for name, (low, high) in ends.items()
        if low < high
    )


def _plausible(study: Study) -> str:
    return "; ".join(
        f"{spec.name} {number(spec.plausible[0], 'g')} to {number(spec.plausible[1], 'g')}"
        for spec in study.specs
    )


def _fixed(study: Study) -> str:
    fixed = study.settings.calibration.fixed
    return ", ".join(f"{name} = {number(value, 'g')}" for name, value in fixed.items())


def _weights(study: Study) -> str:
    weights = study.settings.calibration.weights
    if isinstance(weights, str):
        return WEIGHTS.get(weights, weights)
    named = ", ".join(f"{label}: {number(value, 'g')}" for label, value in weights.items())
    return f"by quote ({named}), times 1/price^2"


def _solver(study: Study) -> str:
    solver = SOLVERS[study.settings.calibration.solver]
    reach = "looks for the global optimum" if solver.is_global else "a local optimum from its start"
    return f"{solver.title}, {reach}; every day on its own"


def _noise(study: Study, day: StoredDay) -> str:
    scale = study.settings.diagnosis.scale
    if not isinstance(scale, str):
        return f"{number(scale)} (weighted), as set; independent from quote to quote"
    words = NOISE.get(scale, scale)
    size = day.row.get(f"scale_{scale}")
    is_relative = study.settings.calibration.weights == "rmsre"
    known = (
        f"; {PERCENT.text(size, '.2f')} on {day.date:%Y-%m-%d}"
        if is_relative and size is not None and size == size
        else ""
    )
    return f"{scale}: {words}{known}; taken for independent from quote to quote"


def _intervals(study: Study, day: StoredDay) -> str:
    kind = "by profile" if day.is_profiled else "by delta method"
    return f"{percent(day.level, 0)}, {kind}; {MODES[study.settings.diagnosis.mode]}"


def _days(study: Study) -> str:
    days, lost = study.days, len(study.days) - len(study.fitted)
    first, last = days["date"].iloc[0], days["date"].iloc[-1]
    text = (
        f"{counted(len(days), 'day')} from {first:%Y-%m-%d} to {last:%Y-%m-%d}: "
        f"{counted(len(days) - lost, 'is', 'are')} calibrated, "
        f"{counted(lost, 'is', 'are') if lost else 'none is'} without a result."
    )
    return f"{text} {incomplete_days(study)}".strip()
