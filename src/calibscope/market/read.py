"""A user's files, read, joined and checked."""

from collections.abc import Mapping
from pathlib import Path

from calibscope.market.assembly import Progress, assemble
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.market import Market
from calibscope.market.panel import Panel
from calibscope.market.readers import FileLike, read_panels
from calibscope.market.settings import MarketSettings


def read_files(
    caps: FileLike | Mapping[str, FileLike],
    curve: FileLike | Mapping[str, FileLike] | None,
    settings: MarketSettings,
    progress: Progress = lambda done, total: None,
) -> Market:
    """Read cap quotes and discount curves of many days, and check them.

    Parameters
    ----------
    caps : file with the quotes (and strikes, bid, ask), or one file per quantity
    curve : file with the curves; None if `caps` has them too
    settings : how the files are written, and what the quotes mean
    progress : called as progress(done, total) while par rates are bootstrapped

    Raises
    ------
    MarketDataError
        with every reason, if the files cannot be read or no day can be used
    """
    panels: list[Panel] = []
    errors: list[MarketDataError] = []
    try:
        panels += read_panels(caps, settings.caps, "caps", settings.conventions.kind)
    except MarketDataError as error:
        if curve is None:
            raise
        errors.append(error)
    try:
        panels += _curve_panels(caps, curve, settings)
    except MarketDataError as error:
        errors.append(error)
    if len(errors) == 1:
        raise errors.pop()  # not errors[0], which would keep this frame and its tables alive
    texts = [f"{error.where}: {text}" for error in errors for text in error.problems]
    raise_problems("market data", texts)
    named = next(iter(caps.values())) if isinstance(caps, Mapping) else caps
    return assemble(panels, settings, name=Path(named).name, progress=progress)


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
        problem = "there are no curves among the caps; give the file with the curves too"
        raise MarketDataError(error.where, [problem]) from None
