"""The arguments with which commands read a user's files, and the reading itself."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from calibscope.market.market import Market
    from calibscope.market.settings import MarketSettings
    from calibscope.study.settings import StudySettings


def file_options(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments with which every command reads a user's files."""
    for option in reversed(
        (
            click.argument("caps", type=click.Path(path_type=Path)),
            click.option("--curve", type=click.Path(path_type=Path), help="File with the curves."),
            click.option("--strikes", type=click.Path(path_type=Path), help="File with strikes."),
            click.option("--settings", type=click.Path(path_type=Path), help="TOML: how to read."),
            click.option(
                "--set", "changes", multiple=True, metavar="KEY=VALUE", help="One setting; repeat."
            ),
        )
    ):
        command = option(command)
    return command


def read(
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
) -> "tuple[Market, MarketSettings]":
    """The market in a user's files, or a message why there is none."""
    from calibscope.market.errors import MarketDataError
    from calibscope.market.read import market_settings, read_market, settings_content
    from calibscope.market.settings import SECTIONS_OF_STUDIES
    from calibscope.report.progress import progress_bar

    try:
        content, _ = settings_content(settings, changes)
        if any(section in content for section in SECTIONS_OF_STUDIES):
            read_study_settings(settings, changes)  # to refuse them here, if they are wrong
        chosen = market_settings(settings, changes)
        quote = chosen.caps.quantity or "price"
        files: Path | dict[str, Path] = {quote: caps, "strike": strikes} if strikes else caps
        with progress_bar("bootstrapping curves") as progress:
            return read_market(files, curve, settings=chosen, progress=progress), chosen
    except MarketDataError as error:
        raise click.ClickException(str(error)) from None


def read_study_settings(settings: Path | None, changes: tuple[str, ...]) -> "StudySettings":
    """The sections calibration, diagnosis and governance, or a message what is wrong there."""
    from calibscope.market.errors import MarketDataError
    from calibscope.study.settings import study_settings

    try:
        return study_settings(settings, changes)
    except MarketDataError as error:
        raise click.ClickException(str(error)) from None
