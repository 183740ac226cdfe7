"""What a settings file says, read and not yet checked."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibscope.base.errors import SettingsError
from calibscope.base.file_problem import file_problem

LARGEST_SETTINGS = 1_000_000  # bytes of a settings file
DEEPEST = 10  # levels of nesting; ours have three
TOO_DEEP = "something is nested too deeply"
TOO_MANY_DIGITS = "a whole number has too many digits"


def file_content(path: str | Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        unfit = file_problem(Path(path), LARGEST_SETTINGS)
        if unfit is None:
            return parsed_toml(Path(path).read_text(encoding="utf-8-sig"))
        problem = unfit
    except FileNotFoundError:
        problem = "there is no such settings file; check the name"
    except OSError as error:
        problem = f"cannot be read ({error.strerror}); give a TOML file"
    except UnicodeDecodeError:
        problem = "is not UTF-8 text; save it as UTF-8"
    except tomllib.TOMLDecodeError as error:
        problem = f"is not valid TOML: {error}"
    except ValueError:  # a zero byte in the name
        problem = "is not the name of a file; check the name"
    raise SettingsError(str(path), [problem])


def parsed_toml(text: str) -> dict[str, Any]:
    """What the text says; `tomllib.TOMLDecodeError` if it is no TOML that can be settings."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int(), on more than 4,300 digits
        raise tomllib.TOMLDecodeError(TOO_MANY_DIGITS) from None
    if problem := monster(content):
        raise tomllib.TOMLDecodeError(problem)
    return content


def monster(content: Mapping[str, Any]) -> str | None:
    """What no setting has, and Python cannot even show: deep nesting, numbers without end."""
    level: list[Any] = [content]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, Mapping):
                inner += value.values()
            elif isinstance(value, list | tuple):
                inner += value
            elif isinstance(value, int) and abs(value) >= 2**63:
                return TOO_MANY_DIGITS
        if not inner:
            return None
        level = inner
    return TOO_DEEP
