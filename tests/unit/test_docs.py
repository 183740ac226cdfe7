"""What the documentation says about settings is what the code does."""

import re
import tomllib
from pathlib import Path

from calibscope.market.settings import MarketSettings

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
BLOCK = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)


def test_the_settings_that_are_shown_are_the_defaults():
    assert MarketSettings.from_mapping(tomllib.loads(BLOCK)) == MarketSettings()


def test_every_setting_is_shown_and_every_example_is_valid():
    uncommented = re.sub(r"^# ", "", BLOCK, flags=re.MULTILINE)
    content = tomllib.loads(uncommented)
    settings = MarketSettings.from_mapping(content)
    assert settings.caps.date_format == "dmy"
    for section in ("caps", "conventions", "checks"):
        shown, known = set(content[section]), set(type(getattr(settings, section)).model_fields)
        assert shown == known
