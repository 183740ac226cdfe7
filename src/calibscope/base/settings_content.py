"""What settings say: a file, a dictionary or nothing, with single changes on top."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calibscope.base.brief import brief
from calibscope.base.errors import SettingsError
from calibscope.base.settings import Section
from calibscope.base.settings_file import file_content, parsed_toml

LONGEST_CHANGE = 10_000  # characters


def settings_content(
    settings: object,
    changes: Sequence[str] = (),
    example: str = "section.name=value",
    preset: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], str]:
    """What settings say, not yet checked, and how messages name them.

    Parameters
    ----------
    settings : a TOML file, nested dictionaries, sections, or None
    changes : single settings on top, like the example
    example : a change, for messages
    preset : what holds where settings and changes say nothing
    """
    where = "settings"
    if settings is None:
        content = {}
    elif isinstance(settings, Section):
        content = settings.model_dump(exclude_unset=True)
    elif isinstance(settings, Mapping):
        content = dict(settings)
    elif isinstance(settings, str | Path):
        content = file_content(settings)
        where = "settings" if changes else str(settings)
    else:
        problem = f"settings are a {type(settings).__name__}; give a TOML file or a dictionary"
        raise SettingsError("settings", [problem])
    content = _merged(preset or {}, content)
    for change in changes:
        content = _merged(content, _parsed(change, example))
    return content, where


def _parsed(change: str, example: str) -> dict[str, Any]:
    """One change as nested dictionaries; a value that is no TOML is a word."""
    key, sign, value = change.partition("=")
    if not sign or len(change) > LONGEST_CHANGE:
        raise SettingsError("settings", [f"{brief(change)} is not a change; write {example}"])
    word = '"' + value.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'
    for text in (value, word):
        try:
            return parsed_toml(f"{key} = {text}")
        except tomllib.TOMLDecodeError:
            continue
    name = example.partition("=")[0]
    raise SettingsError("settings", [f"{brief(key)} is not the name of a setting, like {name}"])


def _merged(base: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in above.items():
        below = result.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = _merged(below, value)
        else:
            result[key] = value
    return result
