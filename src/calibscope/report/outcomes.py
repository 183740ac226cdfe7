"""What commands did, as data: what they print with --json (docs/terminal.md lists the keys).

The data of a day are in `machine_readable.py`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibscope.market.findings import Finding
from calibscope.market.market import Market
from calibscope.market.maturity import label
from calibscope.study.rag import Rag
from calibscope.study.run import Tally

if TYPE_CHECKING:
    import pandas as pd


def check_as_data(market: Market) -> dict[str, Any]:
    """What a market has, and every finding."""
    day, gaps = market.days[0], market.strike_gaps
    return {
        **market_as_data(market),
        "days": len(market),
        "dropped_days": len({finding.date for finding in market.dropped}),
        "first_date": market.dates[0],
        "last_date": market.dates[-1],
        "kind": day.kind,
        "maturities": [label(year) for year in day.maturities],
        "quoted_in": market.quoted_in,
        "curves_in": market.curves_in,
        "unused_columns": list(market.unused_columns),
        "strikes": gaps
        and {
            "verdict": gaps.verdict.name,
            "verdict_in_words": gaps.verdict.value,
            "minus_forward_rate_bp": gaps.forward,
            "minus_spot_rate_bp": gaps.spot,
        },
        "dropped": _findings(market.dropped),
        "warnings": _findings(market.warnings),
    }


def run_as_data(market: Market, store: Path, tally: Tally, seconds: float) -> dict[str, Any]:
    """What a run has computed, and where it is kept."""
    ratings = {rag.value: tally.rag[rag] for rag in Rag}
    return {
        **market_as_data(market),
        "store": store,
        "computed": tally.done,
        "kept": tally.kept,
        "dropped": tally.dropped,
        "failed": tally.failed - tally.dropped,
        "flagged": ratings["amber"] + ratings["red"],
        "rag": ratings,
        "refitted": tally.refits_done - tally.refits_failed,
        "refits_failed": tally.refits_failed,
        "repaired": tally.repaired,
        "seconds": seconds,
    }


def robustness_as_data(table: "pd.DataFrame", market: Market, store: Path | None) -> dict[str, Any]:
    """How far results move, by variant."""
    return {**market_as_data(market), "store": store, "variants": table.to_dict("records")}


def market_as_data(market: Market) -> dict[str, Any]:
    """Whose quotes they are."""
    return {"market": market.name, "is_synthetic": market.is_synthetic}


def _findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "date": finding.date,
            "maturity": None if finding.maturity is None else label(finding.maturity),
            "check": finding.check,
            "source": finding.source,
            "message": finding.message,
            "lacking": [label(year) for year in finding.lacking],
        }
        for finding in findings
    ]
