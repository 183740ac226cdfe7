"""The audit trail of a run: every setting as it was used, and which thresholds somebody changed.

`StudySettings.results_hash` decides whether a day is computed anew, given its data; the hash here
covers everything that was set, the reading of the files included.
"""

import getpass
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from calibscope.market.market import Market
from calibscope.study.results_hash import effective_bounds, model_version
from calibscope.study.settings import DiagnosisSection, StudySettings

THRESHOLDS = ("diagnosis", "governance")  # sections whose changes are logged, beside [checks]


def effective_settings(
    market: Market, settings: StudySettings, profiles: str = "usual"
) -> dict[str, Any]:
    """Every setting as it counts: bounds of all parameters, and how the market was read.

    The market is None where days were made in Python, whose data has no settings.

    Parameters
    ----------
    profiles : which days are profiled
    """
    content = json.loads(settings.model_dump_json())
    each = {one.calibration.models[0]: one.calibration for one in settings.each_model()}
    content["calibration"]["bounds"] = {name: effective_bounds(one) for name, one in each.items()}
    content["calibration"]["versions"] = {name: model_version(name) for name in each}
    content["profiles"] = profiles
    content["metrics"] = {
        metric.name: {"version": settings.metrics[metric.name], **asdict(metric.described)}
        for metric in settings.further_metrics
    }
    read = market.settings
    content["market"] = None if read is None else json.loads(read.model_dump_json())
    return content  # type: ignore[no-any-return]


def hash_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of settings, whatever their order."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def changed_thresholds(before: str | None, after: str) -> list[dict[str, str]]:
    """What differs between the settings (JSON) of two runs in thresholds: setting, old, new."""
    if before is None:
        return []
    old, new = (_thresholds(text) for text in (before, after))
    if not (old["checks"] and new["checks"]):  # days were made in Python, which checks nothing
        old["checks"] = new["checks"] = {}
    was, now = dict(_leaves(old)), dict(_leaves(new))
    return [
        {"setting": name, "old": was.get(name, "none"), "new": now.get(name, "none")}
        for name in sorted(was.keys() | now.keys())
        if was.get(name) != now.get(name)
    ]


def _thresholds(text: str) -> dict[str, Any]:
    content = json.loads(text)
    found = {name: content.get(name, {}) for name in THRESHOLDS}
    # What an older version did not have counted as its default says now.
    usual = json.loads(DiagnosisSection().model_dump_json())
    checks = (content.get("market") or {}).get("checks", {})
    return {**found, "diagnosis": {**usual, **found["diagnosis"]}, "checks": checks}


def _leaves(content: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Settings by their full name, such as governance.limits.rmsre.amber, as JSON."""
    if isinstance(content, dict) and content:
        for name, value in content.items():
            yield from _leaves(value, f"{place}.{name}" if place else name)
    else:
        yield place, json.dumps(content)


def user() -> str:
    """Who runs this, as the operating system says."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without users
        return "unknown"
