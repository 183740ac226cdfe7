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

    from calibscope.study.damage import Damage
    from calibscope.study.rated_fit import RatedDay
    from calibscope.study.restated import Restatement


def check_as_data(market: Market) -> dict[str, Any]:
    """What a market has, and every finding."""
    gaps = market.strike_gaps
    return {
        **market_as_data(market),
        "days": len(market),
        "dropped_days": len({finding.date for finding in market.dropped}),
        "first_date": market.dates[0],
        "last_date": market.dates[-1],
        "kind": ", ".join(dict.fromkeys(kind for day in market for kind in day.kinds)),
        "labels": list(market.labels),
        "maturities": [label(year) for year in market.maturities],
        "quoted_in": market.quoted_in,
        "curves_in": market.curves_in,
        "overlap": market.overlap,
        "incomplete_days": len({finding.date for finding in market.incomplete}),
        "interpolated": market.interpolated,
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


def store_as_data(path: Path, days: int, damage: "Damage") -> dict[str, Any]:
    """Whether the file of a study is what was written."""
    return {
        "store": path,
        "days": days,
        "is_sound": not damage,
        "damaged_days": {day: list(tables) for day, tables in damage.days.items()},
        "damaged_rows": {table: list(keys) for table, keys in damage.rows.items()},
        "structure": list(damage.structure),
    }


def restated_as_data(found: "Restatement") -> dict[str, Any]:
    """A date as two runs have it."""
    return {
        "date": found.date,
        "runs": list(found.runs),
        "rmsre": list(found.rmsre),
        "summary": found.summary,
        "quotes": found.quotes.to_dict("records"),
        "parameters": found.parameters.to_dict("records"),
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
    return {
        **market_as_data(market),
        "store": store,
        "variants": table.to_dict("records"),
        "skipped": table.attrs.get("skipped", {}),
    }


def rated_as_data(rated: "RatedDay") -> dict[str, Any]:
    """The RAG status of a day, why it has it, and what to do."""
    from calibscope.report.actions import actions

    return {
        "status": rated.rag,
        "reasons": list(rated.reasons),
        "next": list(actions(rated.raised, rated.numbers)),
        "note": rated.note,
    }


def market_as_data(market: Market) -> dict[str, Any]:
    """Whose quotes they are."""
    return {"market": market.name, "is_synthetic": market.is_synthetic}


def _findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "date": finding.date,
            "maturity": None if finding.maturity is None else label(finding.maturity),
            "quote": finding.quote,
            "check": finding.check,
            "source": finding.source,
            "message": finding.message,
            "lacking": [label(year) for year in finding.lacking],
        }
        for finding in findings
    ]
