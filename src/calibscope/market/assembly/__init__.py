"""From tables to a market: joined on date, in decimals, complete, verified."""

from calibscope.market.assembly.assemble import assemble

__all__ = ["assemble"]
