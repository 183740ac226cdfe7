"""`cs.read_market`: a user's files, read under settings that may hold those of a study too."""

from collections.abc import Mapping, Sequence
from typing import Any

from calibscope.base.presets import preset_settings
from calibscope.base.settings import checked_settings, part_of
from calibscope.base.settings_content import settings_content
from calibscope.market.assembly import Progress
from calibscope.market.market import Market
from calibscope.market.read import read_files
from calibscope.market.readers import FileLike
from calibscope.market.settings import MarketSettings


def read_market(
    caps: FileLike | Mapping[str, FileLike],
    curve: FileLike | Mapping[str, FileLike] | None = None,
    *,
    settings: FileLike | Mapping[str, Any] | MarketSettings | None = None,
    preset: str | None = None,
    progress: Progress = lambda done, total: None,
) -> Market:
    """Read cap quotes and discount curves of many days, and check them.

    A day that lacks some quotes, strikes or nodes of its curve is kept with the others, from
    `checks.fewest_quotes` on. Days whose data are impossible are left out: `market.dropped` says
    why. `market.warnings` lists what should be reviewed.

    Parameters
    ----------
    caps : CSV, Excel or Parquet file with the quotes (and strikes, bid, ask), or one file per
        quantity: ``{"price": "prices.csv", "strike": "strikes.csv"}``
    curve : file with discount factors, zero rates or OIS par rates; None if `caps` has them too
    settings : a TOML file, or the same as nested dictionaries:
        ``{"caps": {"units": {"price": "bp"}}, "conventions": {"first_caplet": True}}``.
        docs/data.md lists all settings and their defaults. Settings of studies may be there too
    preset : "paper" interpolates curves as the paper does and keeps complete days only, unless the
        settings say otherwise
    progress : called as progress(done, total) while par rates are bootstrapped, the only slow part

    Returns
    -------
    Market
        days that can be used, what was dropped and what should be reviewed

    Raises
    ------
    MarketDataError
        with every reason, if the files cannot be read or no day can be used
    SettingsError
        with everything that is wrong about the settings
    """
    return read_files(caps, curve, market_settings(settings, preset=preset), progress)


def market_settings(
    settings: FileLike | Mapping[str, Any] | MarketSettings | None,
    changes: Sequence[str] = (),
    preset: str | None = None,
) -> MarketSettings:
    """What settings say on the market; what they say on a study is checked too.

    Parameters
    ----------
    changes : like ``caps.units.price=bp`` or ``conventions.first_caplet=true``
    preset : by name: settings that hold where nothing else is said
    """
    sections = MarketSettings.model_fields.keys()
    ours = {name: kept for name, kept in preset_settings(preset).items() if name in sections}
    content, where = settings_content(settings, changes, "caps.units.price=bp", ours)
    if content.keys() <= sections:
        return checked_settings(MarketSettings, content, where)
    from calibscope.study.settings import AllSettings  # takes as long to import as the rest

    return part_of(checked_settings(AllSettings, content, where), MarketSettings)
