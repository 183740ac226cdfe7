"""From tables to a market: joined on date, in decimals, complete, verified."""

from calibscope.market.assembly.assemble import assemble
from calibscope.market.assembly.curves import Progress

__all__ = ["Progress", "assemble"]
