"""Who set the thresholds and when, what was run, and lines to sign."""

import json
from collections.abc import Iterator

import pandas as pd

from calibscope.base.numbers import PERCENT, number
from calibscope.report.document import Column, Paragraph, Section, section, table
from calibscope.study.metrics import METRICS
from calibscope.study.study import Study

WORDS = {
    "rmsre": "RMSRE",
    "largest_residual": "pricing error of a quote",
    "largest_bound_cost": "RMSRE that a bound costs",
    "lost_directions": "parameter combinations not identified",
    "largest_refit_confidence": "confidence region that a fit without one quote leaves",
    "widest_reach": "powers of ten over which near-optimal fits spread a parameter",
    "has_outlier": "a quote is an outlier",
    "is_implausible": "implausible parameters",
    "is_off_optimum": "not at an optimum",
}
BLANK = "\N{NO-BREAK SPACE}"
ROLES = ("Prepared by", "Reviewed by", "Approved by")


def sign_off(study: Study) -> Section:
    """The thresholds in force, the run, and three signatures."""
    return section(
        "sign-off",
        "Sign-off",
        table(
            "Thresholds in force: from where on a day is amber or red",
            ("threshold", "amber", "red", "set by", Column("in force since", is_whole=True)),
            list(_thresholds(study)),
        ),
        Paragraph(_run(study)),
        table(
            "By signing, I confirm that I have read the verdict, the assumptions and the limits",
            ("role", "name", "date", "signature"),
            [(role, BLANK, BLANK, BLANK) for role in ROLES],
        ),
    )


def _thresholds(study: Study) -> Iterator[tuple[str, ...]]:
    rules = study.settings.governance
    known = {metric.name: metric.described for metric in METRICS} | study.described_metrics
    for name, limits in rules.limits.items():
        if limits.amber is None and limits.red is None:
            continue
        unit = known[name].unit if name in known else ""
        amber, red = (_limit(limit, unit) for limit in (limits.amber, limits.red))
        yield _words(name), amber, red, *_who(study, f"governance.limits.{name}", unit)
    for colour, flags in (("amber", rules.amber), ("red", rules.red)):
        if flags:
            named = ", ".join(map(_words, flags))
            ends = ("any", "") if colour == "amber" else ("", "any")
            yield named, *ends, *_who(study, f"governance.{colour}")
    switches = (("screening of quotes", "screening"), ("warnings on the data", "warnings"))
    for words, name in switches:
        ends = ("any", "any" if name == "screening" else "")
        used = ends if getattr(rules, name) else ("off", "off")
        yield words, *used, *_who(study, f"governance.{name}")


def _words(name: str) -> str:
    """A metric or a flag in a few words; those of other packages by name."""
    return WORDS.get(name, name)


def _limit(limit: float | None, unit: str) -> str:
    if limit is None:
        return ""
    return PERCENT.text(limit, "g") if unit in ("relative", "share") else number(limit, "g")


def _who(study: Study, setting: str, unit: str = "") -> tuple[str, str]:
    """The last change that the store knows of; before any, the settings of the first run."""
    changes = study.threshold_changes
    own = changes[changes["setting"].str.startswith(setting)]
    if len(own):
        last = own.sort_values("changed").iloc[-1]
        return f"{last['who']} (was {_was(last['old'], unit)})", f"{last['changed']:%Y-%m-%d}"
    return _origin(study, setting), f"{study.runs['started'].iloc[0]:%Y-%m-%d}"


def _was(text: str, unit: str) -> str:
    """A former value, which is kept as JSON, as the present one is shown."""
    old = json.loads(text) if text != "none" else None
    if isinstance(old, list):
        return ", ".join(map(_words, old)) or "none"
    if isinstance(old, bool):
        return "on" if old else "off"
    return _limit(old, unit) or "none"


def _origin(study: Study, setting: str) -> str:
    """Whether the first run had the default."""
    version = json.loads(study.runs["software"].iloc[0])["calibscope"]
    usual = type(study.settings.governance)()
    *_, part, name = setting.split(".")
    is_limit = part == "limits"
    now = study.settings.governance
    same = (
        now.limits.get(name) == usual.limits.get(name)
        if is_limit
        else getattr(now, name) == getattr(usual, name)
    )
    return f"default of calibscope {version}" if same else "settings of the first run"


def _run(study: Study) -> str:
    last = study.runs.iloc[-1]
    when = last["started"] if pd.isna(last["finished"]) else last["finished"]
    settings = last["effective_hash"] or last["settings_hash"]
    return (
        f"Run {last['run_id']} of {when:%Y-%m-%d %H:%M} UTC, calibscope "
        f"{json.loads(last['software'])['calibscope']}, store {study.path.name}. SHA-256 of all "
        f"settings `{settings}`, of the market `{last['market_hash']}`."
    )
