"""The folders of `market/` and `surface/`: which files are caps, which curves, and the settings."""

from dataclasses import dataclass
from pathlib import Path

from calibscope.market.settings import MarketSettings

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Golden:
    """One layout of the same market."""

    name: str
    caps: Path | dict[str, Path]
    curve: Path
    settings: MarketSettings


def golden_layouts(market: str = "market") -> list[Golden]:
    """All layouts, `long` first; `market.*` holds caps and curve together."""
    folder = HERE / market
    folders = sorted(path for path in folder.iterdir() if (path.is_dir() and any(path.glob("*.*"))))
    layouts = [_golden(path) for path in folders if path.name != "__pycache__"]
    return sorted(layouts, key=lambda one: one.name != "long")


def _golden(folder: Path) -> Golden:
    together = next(folder.glob("market.*"), None)
    split = {path.stem.removeprefix("caps_"): path for path in sorted(folder.glob("caps_*"))}
    toml = folder / "settings.toml"
    return Golden(
        name=folder.name,
        caps=together or split or next(folder.glob("caps.*")),
        curve=together or next(folder.glob("curve.*")),
        settings=MarketSettings.from_toml(toml) if toml.exists() else MarketSettings(),
    )
