"""Curves between their nodes, by name: one file per idea.

`log-cubic` for smooth forwards through every pillar, `monotone-convex` where pillars are sparse or
noisy and nothing may overshoot, `log-linear` for a curve that is given on the schedule itself,
`svensson-spline` to follow the shape of a Svensson curve between distant pillars, `svensson` to
smooth the quotes, `paper` to repeat the paper. docs/curves.md shows their forward rates.
"""

from calibscope.market.interpolation.schemes import Interpolation, Scheme, interpolated

__all__ = ["Interpolation", "Scheme", "interpolated"]
