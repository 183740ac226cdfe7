"""The manifest: what was exported, from which study, and how that was made."""

import datetime
import json
from collections.abc import Iterator, Mapping
from typing import Any

from calibscope import __version__
from calibscope.report.export.tables import Table
from calibscope.report.export.target import FORMAT
from calibscope.study import schema
from calibscope.study.study import Study

SYNTHETIC = "SYNTHETIC: made up, not quoted by any market"
QUOTED = "as given in the files of the runs"


def manifest(study: Study, tables: list[Table]) -> dict[str, Any]:
    """Names, counts, versions, settings and hashes; nested, of JSON's own types."""
    days, ratings = study.days, study.rag["rag"].value_counts()
    dates = [str(date.date()) for date in days["date"].iloc[[0, -1]]] if len(days) else []
    return {
        "format": FORMAT,
        "data": SYNTHETIC if study.is_synthetic else QUOTED,
        "study": study.path.name,
        "exported": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "calibscope": __version__,
        "store_version": schema.VERSION,
        "dates": dates,
        "counts": {
            "days": len(days),
            "days_without_results": int(days["rmsre"].isna().sum()),
            "superseded": len(study.superseded),
            "runs": len(study.runs),
            **{rag: int(ratings.get(rag, 0)) for rag in ("green", "amber", "red", "grey")},
        },
        "last_run": _last_run(study),
        "tables": {
            table.name: {"rows": len(table), "one_row_per": table.one_row_per} for table in tables
        },
    }


def _last_run(study: Study) -> dict[str, Any]:
    """Market, hashes, settings and versions of the newest run; `runs` has all of them."""
    if study.runs.empty:
        return {}
    run = study.runs.iloc[-1]
    found = {name: str(run[name]) for name in ("market", "market_hash", "settings_hash", "engine")}
    told = ("inputs", "conventions", "settings", "software")
    found["started"] = run["started"].isoformat(timespec="seconds")
    found["outcome"] = study.unfinished_run or str(run["outcome"])
    return {**found, **{name: json.loads(run[name]) for name in told}}


def label_of(content: Mapping[str, Any]) -> str:
    """What the titles of sheets begin with: "SYNTHETIC " or nothing."""
    return "" if content["data"] == QUOTED else "SYNTHETIC "


def flat(content: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Nested names joined by dots, for people and sheets."""
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", ", ".join(map(str, value)) if isinstance(value, list) else value
