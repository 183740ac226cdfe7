"""The files of a user that commands read, and the arguments that name them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibscope.base.presets import PRESETS
from calibscope.cli.output import Output
from calibscope.cli.words import completed_setting

if TYPE_CHECKING:
    from calibscope.market.market import Market
    from calibscope.market.settings import MarketSettings
    from calibscope.study.settings import StudySettings

FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Files:
    """Quotes and curves, and how they are to be read."""

    caps: Path
    curve: Path | None
    strikes: Path | None
    settings: Path | None
    changes: tuple[str, ...]
    preset: str | None = None

    @property
    def paths(self) -> list[Path]:
        """All that were given."""
        every = (self.caps, self.curve, self.strikes, self.settings)
        return [path for path in every if path is not None]

    def read(self, output: Output) -> "tuple[Market, MarketSettings]":
        """The market in the files, or a message why there is none."""
        from calibscope.base.errors import InputError
        from calibscope.market.read import read_files
        from calibscope.study.read import market_settings

        try:
            chosen = market_settings(self.settings, self.changes, self.preset)
            quote = chosen.caps.quantity or "price"
            caps: Path | dict[str, Path] = self.caps
            if self.strikes:
                caps = {quote: self.caps, "strike": self.strikes}
            with output.progress("bootstrapping curves") as progress:
                return read_files(caps, self.curve, chosen, progress), chosen
        except InputError as error:
            raise click.ClickException(str(error)) from None

    def with_models(self, models: Sequence[str]) -> "Files":
        """The same with these models instead of those of the settings, if there are any."""
        more = [f"calibration.model={json.dumps(list(models))}"] if models else []
        return replace(self, changes=(*self.changes, *more))

    def study_settings(self) -> "StudySettings":
        """The sections calibration, diagnosis and governance, or a message what is wrong there."""
        from calibscope.base.errors import InputError
        from calibscope.study.settings import study_settings

        try:
            return study_settings(self.settings, self.changes, self.preset)
        except InputError as error:
            raise click.ClickException(str(error)) from None


def profiles_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Which days of a study get profile intervals."""
    return click.option(
        "--profiles", type=click.Choice(("usual", "all", "latest", "none")), default=default,
        show_default=True,
        help="Profile intervals: of days that are not green and the latest 250 (usual), of all, or "
        "of the latest day; usual and latest are none with diagnosis.method=delta.",
    )  # fmt: skip


preset_option = click.option(
    "--preset", type=click.Choice(tuple(PRESETS)),
    help="Settings that hold where nothing else is said; paper: the method of the paper.",
)  # fmt: skip


def file_options(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments that name a user's files, which the command gets as its `files`."""

    @click.argument("caps", type=FILE)
    @click.option("--curve", type=FILE, help="File with the curves.")
    @click.option("--strikes", type=FILE, help="File with strikes.")
    @click.option("--settings", type=FILE, help="TOML: how to read.")
    @click.option(
        "--set", "changes", multiple=True, metavar="KEY=VALUE", help="One setting; repeat.",
        shell_complete=completed_setting,
    )  # fmt: skip
    @preset_option
    @wraps(command)
    def with_files(
        *,
        caps: Path,
        curve: Path | None,
        strikes: Path | None,
        settings: Path | None,
        changes: tuple[str, ...],
        preset: str | None,
        **others: Any,
    ) -> None:
        command(files=Files(caps, curve, strikes, settings, changes, preset), **others)

    return with_files
