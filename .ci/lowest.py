"""Prints the lowest versions that pyproject.toml allows users, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
for requirement in [*project["dependencies"], *project["optional-dependencies"]["cluster"]]:
    print(re.fullmatch(r"([\w-]+)>=([\d.]+),<[\d.]+", requirement).expand(r"\1==\2"))
