"""The discount curve of one day: today's price of one unit paid at time t.

Between its nodes the logarithm of the discount factor is linear, so that the instantaneous
forward rate is constant from node to node. There is no extrapolation: a time beyond the last
node is an error, because a curve that ends at 30 years says nothing about year 40.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.market.errors import raise_problems
from calibscope.market.inputs import numbers

# Times that agree to this many years (a third of a second) are the same time.
SAME_TIME = 1e-8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiscountCurve:
    """Discount factors P(0, t), log-linear between nodes; the first node is (0, 1)."""

    times: Array  # (n,) years from today, strictly increasing, times[0] == 0
    log_discounts: Array  # (n,) log P(0, t), log_discounts[0] == 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", frozen(self.times))
        object.__setattr__(self, "log_discounts", frozen(self.log_discounts))
        raise_problems("discount curve", self._problems())

    def __repr__(self) -> str:
        return f"DiscountCurve({len(self.times) - 1} nodes up to {self.last_time:g} years)"

    def _problems(self) -> list[str]:
        times, logs = self.times, self.log_discounts
        if times.ndim != 1 or times.shape != logs.shape:
            return [f"times have shape {times.shape}, log discount factors {logs.shape}"]
        if len(times) < 2:
            return ["there is no node after today; give at least one time > 0"]
        problems = [
            f"time {i} is {times[i]}; it must be a number"
            for i in np.flatnonzero(~np.isfinite(times))
        ]
        problems += [
            f"t = {t:g}: log discount factor is {value}; it must be a number"
            for t, value in zip(times, logs, strict=True)
            if not np.isfinite(value)
        ]
        if times[0] != 0 or logs[0] != 0:
            problems.append(
                f"the first node is (t = {times[0]:g}, log P = {logs[0]:g}); it must be (0, 0)"
            )
        problems += [
            f"time {times[i + 1]:g} follows {times[i]:g}; times must increase, from 0 on"
            for i in np.flatnonzero(np.diff(times) <= 0)
        ]
        return problems

    @classmethod
    def from_discount_factors(cls, times: ArrayLike, factors: ArrayLike) -> "DiscountCurve":
        """Build a curve from discount factors P(0, t).

        Parameters
        ----------
        times : (n,) years from today; the node (0, 1) may be given and is added if not
        factors : (n,) positive; above 1 where rates are negative

        Examples
        --------
        >>> curve = DiscountCurve.from_discount_factors([1, 2, 5], [0.98, 0.955, 0.88])
        >>> round(float(curve.discount(1.5)), 6)
        0.967419
        """
        nodes, values = _nodes(times, factors, "discount factors")
        problems = [
            f"t = {t:g}: discount factor is {value}; it must be a positive number"
            for t, value in zip(nodes, values, strict=True)
            if not 0 < value < np.inf
        ]
        problems += [
            f"t = 0: discount factor is {value}; today's price of one unit paid today is 1"
            for value in values[(nodes == 0) & (values != 1)]
        ]
        raise_problems("discount curve", problems)
        return cls._from_nodes(nodes, np.log(values))

    @classmethod
    def from_zero_rates(cls, times: ArrayLike, rates: ArrayLike) -> "DiscountCurve":
        """Build a curve from continuously compounded zero rates, P(0, t) = exp(-rate * t).

        Parameters
        ----------
        times : (n,) years from today
        rates : (n,) decimals (0.025 is 2.5 %); negative rates are fine

        Examples
        --------
        >>> curve = DiscountCurve.from_zero_rates([1, 30], [0.02, 0.025])
        >>> round(float(curve.zero_rate(30)), 6)
        0.025
        """
        nodes, values = _nodes(times, rates, "zero rates")
        raise_problems(
            "discount curve",
            [
                f"t = {t:g}: zero rate is {value}; it must be a number"
                for t, value in zip(nodes, values, strict=True)
                if not np.isfinite(value)
            ],
        )
        return cls._from_nodes(nodes, -values * nodes)

    @classmethod
    def _from_nodes(cls, times: Array, logs: Array) -> "DiscountCurve":
        if times[0] != 0:
            times, logs = np.concatenate(([0.0], times)), np.concatenate(([0.0], logs))
        return cls(times, logs)

    @property
    def last_time(self) -> float:
        """Where the curve ends, in years."""
        return float(self.times[-1])

    def discount(self, t: ArrayLike) -> Array:
        """Discount factor P(0, t)."""
        return np.exp(self.log_discount(t))

    def log_discount(self, t: ArrayLike) -> Array:
        """Log P(0, t)."""
        return np.asarray(np.interp(self._checked(t), self.times, self.log_discounts))

    def zero_rate(self, t: ArrayLike) -> Array:
        """Continuously compounded zero rate -log P(0, t) / t, and its limit at t = 0."""
        t = self._checked(t)
        at_zero = t == 0
        rate = -self.log_discount(t) / np.where(at_zero, 1.0, t)
        return np.where(at_zero, self.forward_rate(0.0), rate)

    def forward_rate(self, t: ArrayLike) -> Array:
        """Instantaneous forward rate f(0, t) = -d log P(0, t) / dt.

        Constant between nodes; at a node, the value to its right.
        """
        slopes = -np.diff(self.log_discounts) / np.diff(self.times)
        interval = np.searchsorted(self.times, self._checked(t), side="right") - 1
        return np.asarray(slopes[np.clip(interval, 0, len(slopes) - 1)])

    def _checked(self, t: ArrayLike) -> Array:
        t = np.asarray(t, float)
        # `not (inside)` also catches NaN.
        outside = ~((t >= 0) & (t <= self.last_time + SAME_TIME))
        if outside.any():
            first = float(t[outside].flat[0])
            raise_problems(
                "discount curve",
                [
                    f"asked for t = {first:g} years, but the curve covers 0 to "
                    f"{self.last_time:g}; add nodes up to the longest maturity"
                ],
            )
        return t


def _nodes(times: ArrayLike, values: ArrayLike, what: str) -> tuple[Array, Array]:
    nodes, problems = numbers(times, "times")
    node_values, found = numbers(values, what)
    problems += found
    if not problems and (len(nodes) != len(node_values) or not len(nodes)):
        problems.append(
            f"{len(nodes)} times but {len(node_values)} {what}; give one per time, at least one"
        )
    raise_problems("discount curve", problems)
    return nodes, node_values
