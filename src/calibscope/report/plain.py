"""Anything as JSON can hold it: plain numbers, lists and words.

What is not a number, or infinite, is null: JSON has no word for either.
"""

import datetime
import json
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np


def as_json(data: Any) -> str:
    """A text that every JSON reader takes."""
    return json.dumps(plain(data), indent=1, allow_nan=False)


def plain(value: Any) -> Any:
    """The same in Python's own types, with None for what is not a finite number."""
    if isinstance(value, dict):
        return {plain(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, Path) else value
