"""`cs.read_market`: a user's files, read, joined and checked."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calibscope.base.brief import brief
from calibscope.market.assembly import Progress, assemble
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.market import Market
from calibscope.market.panel import Panel
from calibscope.market.readers import FileLike, read_panels
from calibscope.market.settings import (
    SECTIONS_OF_STUDIES,
    MarketSettings,
    Section,
    parsed_toml,
)

LONGEST_CHANGE = 10_000  # signs


def read_market(
    caps: FileLike | Mapping[str, FileLike],
    curve: FileLike | Mapping[str, FileLike] | None = None,
    *,
    settings: FileLike | Mapping[str, Any] | MarketSettings | None = None,
    progress: Progress = lambda done, total: None,
) -> Market:
    """Read cap quotes and discount curves of many days, and check them.

    Days that lack a quote, a strike or a part of the curve, or whose prices are impossible, are
    left out: `market.dropped` says why. `market.warnings` lists what should be reviewed.

    Parameters
    ----------
    caps : CSV, Excel or Parquet file with the quotes (and strikes, bid, ask), or one file per
        quantity: ``{"price": "prices.csv", "strike": "strikes.csv"}``
    curve : file with discount factors, zero rates or OIS par rates; None if `caps` has them too
    settings : a TOML file, or the same as nested dictionaries:
        ``{"caps": {"units": {"price": "bp"}}, "conventions": {"first_caplet": True}}``.
        docs/data.md lists all settings and their defaults
    progress : called as progress(done, total) while par rates are bootstrapped, the only slow part

    Returns
    -------
    Market
        days that can be used, what was dropped and what should be reviewed

    Raises
    ------
    MarketDataError
        with every reason, if the files cannot be read or no day can be used
    """
    chosen = market_settings(settings)
    panels: list[Panel] = []
    errors: list[MarketDataError] = []
    try:
        panels += read_panels(caps, chosen.caps, "caps")
    except MarketDataError as error:
        if curve is None:
            raise
        errors.append(error)
    try:
        panels += _curve_panels(caps, curve, chosen)
    except MarketDataError as error:
        errors.append(error)
    if len(errors) == 1:
        raise errors.pop()  # not errors[0], which would keep this frame and its tables alive
    texts = [f"{error.where}: {text}" for error in errors for text in error.problems]
    raise_problems("market data", texts)
    named = next(iter(caps.values())) if isinstance(caps, Mapping) else caps
    return assemble(panels, chosen, name=Path(named).name, progress=progress)


def _curve_panels(
    caps: FileLike | Mapping[str, FileLike],
    curve: FileLike | Mapping[str, FileLike] | None,
    settings: MarketSettings,
) -> list[Panel]:
    if curve is not None:
        return read_panels(curve, settings.curve, "curve")
    together = next(iter(caps.values())) if isinstance(caps, Mapping) else caps
    try:
        return read_panels(together, settings.curve, "curve")
    except MarketDataError as error:
        problem = "there are no curves among the caps; give the file with the curves (--curve)"
        raise MarketDataError(error.where, [problem]) from None


def market_settings(
    settings: FileLike | Mapping[str, Any] | MarketSettings | None, changes: Sequence[str] = ()
) -> MarketSettings:
    """Settings from a file, a dictionary or nothing, with single changes on top.

    Parameters
    ----------
    changes : like ``caps.units.price=bp`` or ``conventions.first_caplet=true``
    """
    content, where = settings_content(settings, changes)
    own = {name: value for name, value in content.items() if name not in SECTIONS_OF_STUDIES}
    return MarketSettings.from_mapping(own, where)


def settings_content(
    settings: FileLike | Mapping[str, Any] | Section | None, changes: Sequence[str] = ()
) -> tuple[dict[str, Any], str]:
    """What settings say, not yet checked, and how messages name them."""
    where = "settings"
    if settings is None:
        content = {}
    elif isinstance(settings, Section):
        content = settings.model_dump(exclude_unset=True)
    elif isinstance(settings, Mapping):
        content = dict(settings)
    elif isinstance(settings, str | Path):
        content = MarketSettings.content_of(settings)
        where = "settings" if changes else str(settings)
    else:
        problem = f"settings are a {type(settings).__name__}; give a TOML file or a dictionary"
        raise MarketDataError("settings", [problem])
    for change in changes:
        content = _merged(content, _parsed(change))
    return content, where


def _parsed(change: str) -> dict[str, Any]:
    """One change as nested dictionaries; a value that is no TOML is a word."""
    key, sign, value = change.partition("=")
    if not sign or len(change) > LONGEST_CHANGE:
        problem = f"{brief(change)} is no change; write caps.units.price=bp"
        raise MarketDataError("settings", [problem])
    word = '"' + value.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'
    for text in (value, word):
        try:
            return parsed_toml(f"{key} = {text}")
        except tomllib.TOMLDecodeError:
            continue
    raise MarketDataError(
        "settings", [f"{brief(key)} is no name of a setting, like caps.units.price"]
    )


def _merged(base: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in above.items():
        below = result.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = _merged(below, value)
        else:
            result[key] = value
    return result
