"""One error for bad market data: all problems at once, each with its place and remedy."""

from collections.abc import Sequence

from calibscope.base.errors import InputError


class MarketDataError(InputError):
    """Market data that cannot be used; `problems` lists every reason found."""


def raise_problems(where: str, problems: Sequence[str]) -> None:
    """Raise a `MarketDataError` if there are any problems."""
    if problems:
        raise MarketDataError(where, problems)
