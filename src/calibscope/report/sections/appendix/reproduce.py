"""How to get the same numbers again: settings, versions, hashes, flags."""

import json
from typing import Any

from calibscope.diagnosis.flags import MEANINGS, meaning
from calibscope.report.document import Column, Section, Table, collapsible, section, table
from calibscope.study.study import Study


def reproduce(study: Study) -> Section:
    """Tables of names and values."""
    runs = study.runs
    settings = json.loads(runs["settings"].iloc[-1]) if len(runs) else {}
    return section(
        "reproduce",
        "Settings, versions and flags",
        _pairs("Versions and hashes", _provenance(study)),
        collapsible(
            "Settings",
            _pairs(
                "Settings",
                {
                    f"{part}.{name}": json.dumps(value)
                    for part, content in settings.items()
                    for name, value in content.items()
                },
            ),
        ),
        _flags(study),
    )


def _provenance(study: Study) -> dict[str, str]:
    """Versions and hashes of the newest run, and whether it is complete."""
    runs = study.runs
    if runs.empty:
        return {"store": study.path.name, "runs": "none"}
    last = runs.iloc[-1]
    ending = study.unfinished_run or f"The newest finished {last['finished']:%Y-%m-%d %H:%M} UTC."
    return {
        **json.loads(last["software"]),
        "store": study.path.name,
        "market (SHA-256)": last["market_hash"],
        **{f"{name} (SHA-256)": digest for name, digest in json.loads(last["inputs"]).items()},
        "settings of results (SHA-256)": last["settings_hash"],
        "runs": f"{len(runs):,}. {ending}",
    }


def _flags(study: Study) -> Table:
    thresholds = study.settings.diagnosis.thresholds
    return table(
        "Flags, and the days on which they are raised",
        ("flag", "meaning", Column("days", ",.0f")),
        [(name, meaning(name, thresholds), int(study.fitted[name].sum())) for name in MEANINGS],
    )


def _pairs(caption: str, content: dict[str, Any]) -> Table:
    rows = [(name, str(value)) for name, value in content.items()]
    return table(caption, ("name", "value"), rows)
