r"""The discount curve of one day: today's price of one unit paid at time t.

A curve is given by its nodes and by the name of the scheme that holds between them
(`interpolation`; docs/curves.md says which to use when). Time is in years, and a pillar is at its
nominal maturity: 1Y at 1, 6M at 0.5, 1M at 1/12, 1W at 7/365, 1D at 1/365, in line with the
idealised grid of the caps, t_i = i * tenor. There is no extrapolation: a time beyond the last node
is an error, because a curve that ends at 30 years is uninformative about year 40. (A few days
beyond are forgiven, `CARRIED_ON`.)

With zero rates z and forward rates f, :math:`P(0, t) = e^{-z(t)\,t}` and :math:`f(0, t) =
-\partial_t \log P(0, t)` (Brigo and Mercurio, 2006, chapter 1).
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.base.brief import brief
from calibscope.base.numbers import counted
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.inputs import choice, numbers
from calibscope.market.interpolation import Interpolation, Scheme, interpolated
from calibscope.market.interpolation.piecewise import PiecewisePolynomial
from calibscope.market.interpolation.schemes import too_few_nodes
from calibscope.market.maturity import maturity

if TYPE_CHECKING:
    from calibscope.market.svensson_fit import SvenssonFit

LONGEST = 1_000.0  # years; a longer curve has its times in another unit

# A payment 30 years ahead may fall some days after a 30Y node, because markets close on weekends
# and holidays: so far the last forward rate is carried on.
CARRIED_ON = 11 / 365

# Rates beyond 100 percent, or below minus 100, are rates in another unit.
LARGEST_RATE = 1.0

Compounding = Literal["continuous", "annual", "semiannual", "quarterly", "monthly", "simple"]
PERIODS_A_YEAR = {"annual": 1, "semiannual": 2, "quarterly": 4, "monthly": 12}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiscountCurve:
    """Discount factors P(0, t); the first node is (0, 1)."""

    times: Array  # (n,) years from today, strictly increasing, times[0] == 0
    log_discounts: Array  # (n,) log P(0, t), log_discounts[0] == 0
    interpolation: Interpolation = "log-linear"
    # Built at first use: a panel has thousands of curves, and some schemes need a fit.
    _scheme: Scheme | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", frozen(self.times))
        object.__setattr__(self, "log_discounts", frozen(self.log_discounts))
        raise_problems("discount curve", self._problems())

    def __repr__(self) -> str:
        kind = "" if self.interpolation == "log-linear" else f", {self.interpolation}"
        nodes = counted(len(self.times) - 1, "node")
        return f"DiscountCurve({nodes} up to {self.last_time:g} years{kind})"

    def _problems(self) -> list[str]:
        times, logs = self.times, self.log_discounts
        if times.ndim != 1 or times.shape != logs.shape:
            return [f"times have shape {times.shape}, log discount factors {logs.shape}"]
        if len(times) < 2:
            return ["there is no node after today; give at least one time > 0"]
        problems = choice(self.interpolation, "interpolation", Interpolation)
        problems += too_few_nodes(self.interpolation, len(times) - 1)
        if (
            times[0] == logs[0] == 0
            and (times[1:] > times[:-1]).all()
            and times[-1] <= LONGEST
            and np.isfinite(logs).all()
        ):
            return problems
        problems += [
            f"time {i} is {times[i]}; it must be a number"
            for i in np.flatnonzero(~np.isfinite(times))
        ]
        problems += [
            f"t = {t:g}: log discount factor is {value}; it must be a number"
            for t, value in zip(times, logs, strict=True)
            if not np.isfinite(value)
        ]
        if LONGEST < times[-1] < np.inf:
            problems.append(
                f"the last time is {times[-1]:g}; times are years from today, up to {LONGEST:g}"
            )
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
    def from_discount_factors(
        cls, times: ArrayLike, factors: ArrayLike, *, interpolation: Interpolation = "log-linear"
    ) -> "DiscountCurve":
        """Build a curve from discount factors P(0, t).

        Parameters
        ----------
        times : (n,) years from today; the node (0, 1) may be given and is added if not
        factors : (n,) positive; above 1 where rates are negative
        interpolation : how the curve runs between its nodes

        Returns
        -------
        DiscountCurve
            a curve through the factors

        Examples
        --------
        >>> curve = DiscountCurve.from_discount_factors([1, 2, 5], [0.98, 0.955, 0.88])
        >>> round(float(curve.discount(1.5)), 6)
        0.967419
        """
        nodes, values = _nodes(times, factors, "discount factors")
        problems = [
            f"t = {nodes[i]:g}: discount factor is {values[i]}; it must be a positive number"
            for i in np.flatnonzero(~((values > 0) & (values < np.inf)))
        ]
        problems += [
            f"t = 0: discount factor is {value}; today's price of one unit paid today is 1"
            for value in values[(nodes == 0) & (values != 1)]
        ]
        raise_problems("discount curve", problems)
        logs = np.log(values)
        raise_problems("discount curve", _rate_problems(nodes, logs, "discount factors near 1"))
        return cls.from_log_discounts(nodes, logs, interpolation)

    @classmethod
    def from_zero_rates(
        cls,
        times: ArrayLike,
        rates: ArrayLike,
        *,
        compounding: Compounding = "continuous",
        interpolation: Interpolation = "log-linear",
    ) -> "DiscountCurve":
        r"""Build a curve from zero rates.

        .. math:: P(0, t) = e^{-rt}, \quad (1 + r/n)^{-nt}, \quad (1 + rt)^{-1}

        for continuous compounding, n times a year, and simple interest.

        Parameters
        ----------
        times : (n,) years from today
        rates : (n,) decimals (0.025 is 2.5 %); negative rates are fine
        compounding : how interest is paid on interest
        interpolation : how the curve runs between its nodes

        Returns
        -------
        DiscountCurve
            a curve through the rates

        Examples
        --------
        >>> curve = DiscountCurve.from_zero_rates([1, 30], [0.02, 0.025])
        >>> round(float(curve.zero_rate(30)), 6)
        0.025
        >>> curve = DiscountCurve.from_zero_rates([1, 30], [0.02, 0.025], compounding="annual")
        >>> round(float(curve.discount(30)), 6) == round(1.025**-30, 6)
        True
        """
        nodes, values = _nodes(times, rates, "zero rates")
        raise_problems("discount curve", choice(compounding, "compounding", Compounding))
        logs = log_discounts_of_zero_rates(nodes, values, compounding)
        raise_problems(
            "discount curve",
            [
                f"t = {nodes[i]:g}: zero rate is {values[i]}; it must be a number"
                + (
                    ", and one unit must grow to a positive amount"
                    if np.isfinite(values[i])
                    else ""
                )
                for i in np.flatnonzero(~np.isfinite(logs) & np.isfinite(nodes))
            ],
        )
        raise_problems("discount curve", _rate_problems(nodes, logs, "2 percent is 0.02"))
        return cls.from_log_discounts(nodes, logs, interpolation)

    @classmethod
    def from_svensson(cls, parameters: ArrayLike, last_time: float = 50.0) -> "DiscountCurve":
        r"""Build a curve from Svensson parameters (rates continuously compounded, decimal).

        .. math:: z(t) = \beta_0 + \beta_1 \frac{1 - e^{-t/\tau_1}}{t/\tau_1}
            + \beta_2 \Big(\frac{1 - e^{-t/\tau_1}}{t/\tau_1} - e^{-t/\tau_1}\Big)
            + \beta_3 \Big(\frac{1 - e^{-t/\tau_2}}{t/\tau_2} - e^{-t/\tau_2}\Big)

        Source: Svensson (1994).

        Parameters
        ----------
        parameters : (6,) beta_0, beta_1, beta_2, beta_3, tau_1, tau_2
        last_time : where the curve is to end, in years

        Returns
        -------
        DiscountCurve
            a curve in closed form, without nodes of its own

        Examples
        --------
        >>> curve = DiscountCurve.from_svensson([0.03, -0.01, 0.0, 0.005, 1.5, 8.0])
        >>> round(float(curve.forward_rate(0)), 6)
        0.02
        """
        from calibscope.market.interpolation.fitted import Svensson
        from calibscope.market.svensson import PAPER_TIMES, checked_parameters

        exact = Svensson(checked_parameters(parameters, last_time))
        inner = PAPER_TIMES[PAPER_TIMES < last_time]  # noqa: SIM300
        times = np.union1d(np.linspace(0, last_time, 9), inner)
        logs = exact.log_discount(times)
        raise_problems("Svensson curve", _rate_problems(times, logs, "2 percent is 0.02"))
        curve = cls(times, logs, "svensson")
        object.__setattr__(curve, "_scheme", exact)
        return curve

    @classmethod
    def from_ois_quotes(
        cls,
        maturities: ArrayLike | Sequence[str],
        rates: ArrayLike,
        *,
        date: str | datetime.date,
        index: Literal["ESTR", "EONIA"] = "ESTR",
        interpolation: Interpolation = "log-cubic",
    ) -> "DiscountCurve":
        """Build a curve from par rates of overnight index swaps, bootstrapped by QuantLib.

        Parameters
        ----------
        maturities : (n,) like "1W", "18M", "10Y"; or years, multiples of days (n/365) or months
            (n/12)
        rates : (n,) par rates, decimal (0.025 is 2.5 %)
        date : the trade date; swaps start at spot, two TARGET days later
        index : the overnight rate, which carries the conventions
        interpolation : how the curve runs between its nodes

        Returns
        -------
        DiscountCurve
            a curve through the bootstrapped discount factors

        Notes
        -----
        See `calibscope.market.ois`. Nodes lie at the nominal maturities, which is what the caps'
        idealised grid expects.
        """
        from calibscope.market.ois import bootstrapped

        nodes, values = _nodes(_years(maturities), rates, "par rates")
        return cls.from_log_discounts(
            nodes, bootstrapped(nodes, values, date, index), interpolation
        )

    @classmethod
    def from_log_discounts(
        cls, times: Array, logs: Array, interpolation: Interpolation = "log-linear"
    ) -> "DiscountCurve":
        """Build a curve from log P(0, t); the node (0, 0) is added if not given.

        Parameters
        ----------
        times : (n,) years from today, increasing
        logs : (n,) log P(0, t)
        interpolation : how the curve runs between its nodes

        Returns
        -------
        DiscountCurve
            a curve through the nodes
        """
        if times[0] != 0:
            times, logs = np.concatenate(([0.0], times)), np.concatenate(([0.0], logs))
        return cls(times, logs, interpolation)

    @property
    def last_time(self) -> float:
        """Where the curve ends, in years."""
        return float(self.times[-1])

    @property
    def scheme(self) -> Scheme:
        """What holds between the nodes, built at first use."""
        if self._scheme is None:
            scheme = interpolated(self.interpolation, self.times, self.log_discounts)
            object.__setattr__(self, "_scheme", scheme)
            return scheme
        return self._scheme

    def discount(self, t: ArrayLike) -> Array:
        r"""Discount factor P(0, t).

        .. math:: P(0, t) = e^{-z(t)\,t} = \exp\Bigl(-\int_0^t f(0, s)\,ds\Bigr)

        Source: Brigo and Mercurio (2006), section 1.2.

        Parameters
        ----------
        t : years from today, up to the last node

        Returns
        -------
        Array
            of the shape of t
        """
        return np.exp(self.log_discount(t))

    def log_discount(self, t: ArrayLike) -> Array:
        """Log P(0, t).

        log P(0, t) = -z(t) t, from which the schemes are built (Hagan and West, 2006).

        Parameters
        ----------
        t : years from today, up to the last node

        Returns
        -------
        Array
            of the shape of t
        """
        return _carried_on(self.scheme, self._checked(t), self.last_time)

    def zero_rate(self, t: ArrayLike) -> Array:
        """Continuously compounded zero rate -log P(0, t) / t, and its limit at t = 0.

        z(t) = -log P(0, t) / t (Brigo and Mercurio, 2006, section 1.2).

        Parameters
        ----------
        t : years from today, up to the last node

        Returns
        -------
        Array
            of the shape of t, decimals
        """
        t = self._checked(t)
        at_zero = t == 0
        rate = -self.log_discount(t) / np.where(at_zero, 1.0, t)
        return np.where(at_zero, self.scheme.forward_rate(np.zeros(())), rate)

    def forward_rate(self, t: ArrayLike) -> Array:
        """Instantaneous forward rate f(0, t) = -d log P(0, t) / dt.

        Where it jumps, as at the nodes of a log-linear curve, the value to the right.

        Source: Brigo and Mercurio (2006), section 1.4; docs/curves.md has the schemes.

        Parameters
        ----------
        t : years from today, up to the last node

        Returns
        -------
        Array
            of the shape of t, decimals
        """
        return self.scheme.forward_rate(np.minimum(self._checked(t), self.last_time))

    def svensson_fit(self) -> "SvenssonFit":
        r"""The Svensson curve nearest to the nodes, and how near: RMSE in bp, flags, a sentence.

        Worth a look before a scheme that rests on such a fit is used.

        .. math:: \min_{\beta, \tau} \sum_i \bigl(z(t_i; \beta, \tau) - z_i\bigr)^2

        Source: Svensson (1994); `from_svensson` has z.

        Returns
        -------
        SvenssonFit
            parameters, RMSE, flags

        Examples
        --------
        >>> times = [0.25, 0.5, 1, 2, 5, 10, 20, 30]
        >>> curve = DiscountCurve.from_zero_rates(times, [0.02] * 8)
        >>> curve.svensson_fit().is_poor
        False
        """
        from calibscope.market.svensson_fit import fit_svensson

        return fit_svensson(self.times[1:], -self.log_discounts[1:] / self.times[1:])

    def _checked(self, t: ArrayLike) -> Array:
        try:
            times = np.asarray(t, float)
        except (TypeError, ValueError, OverflowError):
            problem = f"asked for t = {brief(t)}; give years from today"
            raise MarketDataError("discount curve", [problem]) from None
        return _covered(times, self.last_time)


def log_discounts_of_zero_rates(times: Array, rates: Array, compounding: Compounding) -> Array:
    """Log P(0, t) from zero rates, (..., k); not finite where no discount factor belongs to one."""
    if compounding == "continuous":
        return -rates * times
    with np.errstate(invalid="ignore", divide="ignore"):
        if compounding == "simple":
            return -np.log1p(rates * times)
        periods = PERIODS_A_YEAR[compounding]
        return -periods * times * np.log1p(rates / periods)


def log_discount_panel(
    interpolation: Interpolation, times: ArrayLike, log_discounts: ArrayLike, t: ArrayLike
) -> Array:
    """Log P(0, t) of many days at once, as `DiscountCurve.log_discount` gives it for one.

    Parameters
    ----------
    times : (k,) years, the same for all days; the node (0, 0) is added if not given
    log_discounts : (n, k) log P(0, times), one row per day
    t : (q,) years, at most times[-1]

    Returns
    -------
    (n, q)
    """
    nodes, logs = np.asarray(times, float), np.asarray(log_discounts, float)
    if nodes[0] != 0:
        nodes = np.concatenate(([0.0], nodes))
        logs = np.concatenate((np.zeros((len(logs), 1)), logs), axis=1)
    wanted = _covered(np.asarray(t, float), float(nodes[-1]))
    return _carried_on(interpolated(interpolation, nodes, logs), wanted, float(nodes[-1]))


def discounts_of_curves(curves: Sequence[DiscountCurve], t: Array) -> Array:
    """P(0, t) of many curves, to the last bit as `DiscountCurve.discount` gives it for one.

    Curves with the same nodes are evaluated together, which is fifteen times as fast.

    Parameters
    ----------
    curves : (n,) of any kind
    t : (q,) years, up to the last node of each

    Returns
    -------
    (n, q)
    """
    alike: dict[object, list[int]] = {}
    for row, curve in enumerate(curves):
        is_piecewise = isinstance(curve.scheme, PiecewisePolynomial)
        key = (curve.interpolation, curve.times.tobytes()) if is_piecewise else row
        alike.setdefault(key, []).append(row)
    found = np.empty((len(curves), len(t)))
    for rows in alike.values():
        first, schemes = curves[rows[0]], [curves[row].scheme for row in rows]
        pieces = [one for one in schemes if isinstance(one, PiecewisePolynomial)]
        if pieces:
            end, scheme = first.last_time, PiecewisePolynomial.of_many(pieces)
            found[rows] = np.exp(_carried_on(scheme, _covered(t, end), end))
        else:
            found[rows] = first.discount(t)
    return found


def _carried_on(scheme: Scheme, t: Array, last_time: float) -> Array:
    """Log P(0, t), with the last forward rate for the few days beyond the last node."""
    inside = np.minimum(t, last_time)
    logs, beyond = scheme.log_discount(inside), t - inside
    if not beyond.any():
        return logs
    last_rate = scheme.forward_rate(np.array(last_time))
    return logs - last_rate.reshape(last_rate.shape + (1,) * t.ndim) * beyond


def _covered(t: Array, last_time: float) -> Array:
    # `not (inside)` also catches NaN.
    outside = ~((t >= 0) & (t <= last_time + CARRIED_ON))
    if outside.any():
        first = float(t[outside].flat[0])
        raise_problems(
            "discount curve",
            [
                f"asked for t = {first:g} years, but the curve covers 0 to {last_time:g}; add "
                "nodes up to the longest maturity"
            ],
        )
    return t


def _years(maturities: ArrayLike | Sequence[str]) -> ArrayLike:
    """Years, from words such as 10Y or as given; a word that is none stays, and is refused."""
    if isinstance(maturities, Sequence) and not isinstance(maturities, str):
        known = [maturity(word) if isinstance(word, str) else word for word in maturities]
        return [
            word if year is None else year for word, year in zip(maturities, known, strict=True)
        ]
    return maturities


def _rate_problems(times: Array, logs: Array, example: str) -> list[str]:
    """Zero rates so large that the unit must be wrong."""
    with np.errstate(divide="ignore", invalid="ignore"):
        zeros = np.where(times > 0, -logs / times, 0.0)
    return [
        f"t = {times[i]:g}: that is a zero rate of {100 * zeros[i]:.4g} percent; are these "
        f"decimals ({example})?"
        for i in np.flatnonzero(np.abs(zeros) > LARGEST_RATE)
    ]


def _nodes(times: ArrayLike, values: ArrayLike, what: str) -> tuple[Array, Array]:
    nodes, problems = numbers(times, "times")
    node_values, found = numbers(values, what)
    problems += found
    if not problems and (len(nodes) != len(node_values) or not len(nodes)):
        problems.append(
            f"{counted(len(nodes), 'time')} but {len(node_values):,} {what}; give one per "
            "time, at least one"
        )
    raise_problems("discount curve", problems)
    return nodes, node_values
