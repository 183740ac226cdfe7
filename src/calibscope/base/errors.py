"""Errors about what a user gave: all problems at once, each with its place and remedy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibscope.base.brief import cut

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Nobody reads more, and a file can hold a name of a megabyte.
LISTED = 20
LONGEST = 600


class InputError(ValueError):
    """Something given that cannot be used; `problems` lists every reason found."""

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = cut(where, LONGEST)
        self.problems = tuple(cut(problem, LONGEST) for problem in problems)
        if len(self.problems) == 1:
            text = f"{self.where}: {self.problems[0]}"
        else:
            lines = "".join(f"\n  - {problem}" for problem in self.problems[:LISTED])
            if len(self.problems) > LISTED:
                lines += f"\n  - and {len(self.problems) - LISTED:,} more"
            text = f"{self.where}: {len(self.problems)} problems{lines}"
        super().__init__(text)

    def __reduce__(self) -> tuple[type, tuple[str, tuple[str, ...]]]:
        """Exceptions cross process borders by their arguments, which here are not the text."""
        return type(self), (self.where, self.problems)


class SettingsError(InputError):
    """Settings that cannot be used, of whatever section; `problems` lists every reason found."""


class EntryPointError(RuntimeError):
    """Something that another package announces and that cannot be used: which package, and why."""

    def __init__(self, point: "EntryPoint", why: str) -> None:
        self.point, self.why = point, why
        package = f"the package {point.dist.name}" if point.dist else "a package"
        super().__init__(
            f"{package} announces {point.name} (entry point {point.group}: {point.value}), which "
            f"cannot be used: {why}; correct, update or uninstall that package"
        )

    def __reduce__(self) -> tuple[type, tuple["EntryPoint", str]]:
        """Exceptions cross process borders by their arguments, which here are not the text."""
        return type(self), (self.point, self.why)
