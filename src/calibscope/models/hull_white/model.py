"""The one-factor Hull-White model: one Gaussian factor plus a shift that fits today's curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.measures import Measure, Quantities
from calibscope.base.parameters import ParameterSpec, Specs
from calibscope.market.day import MarketDay
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import SPECS as G2_SPECS
from calibscope.models.model import Model, Pricer, Values

# Hull-White is G2++ with sigma_y = 0: prices, derivatives and quantities are those columns of it.
OWN = [0, 2]  # a_x and sigma_x
REST = np.array([0.0, 1.0, 0.0, 0.0, 0.0])  # any speed will do for a factor that never moves


def as_g2(points: ArrayLike) -> Array:
    """(n, 5) the same models as G2++ whose second factor never moves."""
    given = np.atleast_2d(np.asarray(points, float))
    full = np.tile(REST, (len(given), 1))
    full[:, OWN] = given
    return full


def _like(p: int, name: str, symbol: str, label: str, sentence: str) -> ParameterSpec:
    """A parameter with the bounds and scales of one of G2++."""
    same = G2_SPECS.parameters[p]
    return ParameterSpec(
        name, symbol, same.unit, label, sentence, same.bounds, same.limits, same.plausible,
        start=(0.05, 0.01)[OWN.index(p)], solver_scale=same.solver_scale,
        interval_scale=same.interval_scale,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class HullWhite(Model):
    r"""One set of Hull-White parameters, with the prices and moments that follow.

    .. math:: r = x + \psi, \qquad dx = -a x\,dt + \sigma dW

    Source: Hull and White (1990), in the form of Brigo and Mercurio (2006), section 3.3.

    Examples
    --------
    >>> from calibscope.market.demo import demo_market
    >>> day = demo_market().day("2024-01-19")
    >>> HullWhite(a=0.05, sigma=0.01).prices(day).round(5)[:3].tolist()
    [0.01139, 0.01743, 0.024]
    """

    name: ClassVar[str] = "hull-white"
    title: ClassVar[str] = "Hull-White"
    nested_in: ClassVar[tuple[str, ...]] = ("g2++",)
    specs: ClassVar[Specs] = Specs(
        (
            _like(0, "a", "a", "speed, per year", "mean reversion speed of the short rate"),
            _like(2, "sigma", r"\sigma", "volatility", "volatility of the short rate"),
        ),
        quotes=G2_SPECS.quotes,
        outputs=G2_SPECS.outputs,
    )

    horizons: ClassVar[tuple[float, ...]] = G2.horizons

    a: float  # speed of mean reversion, per year
    sigma: float  # volatility, decimal per square root of a year

    def __post_init__(self) -> None:
        # G2++ checks the values; its message names its own parameters, so say it here.
        for name, value in zip(self.specs.names, (self.a, self.sigma), strict=True):
            if not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
                raise ValueError(f"{name} is {value!r}; give a finite number that is not negative")
            object.__setattr__(self, name, float(value))

    @property
    def as_g2(self) -> G2:
        """The same model as a G2++ whose second factor never moves."""
        return G2.from_values(as_g2(self.values)[0])

    @classmethod
    def pricer(cls, day: MarketDay) -> Pricer:
        """The day's caps or floors, packed for the kernel of G2++."""
        return HullWhitePricer(G2.pricer(day))

    @classmethod
    def evaluate_days(
        cls, days: Sequence[MarketDay], parameters: Array, order: int, threads: int | None = 1
    ) -> Values:
        """All days in one call of the kernel; see `Model.evaluate_days`."""
        return own(G2.evaluate_days(days, as_g2(parameters), order, threads))

    @classmethod
    def quantities(
        cls, day: MarketDay, horizons: ArrayLike, instruments: Sequence[Any]
    ) -> Quantities:
        """The outlook at horizons, and prices of instruments, as for G2++."""
        return HullWhiteQuantities(G2.quantities(day, horizons, instruments))


def own(values: Values) -> Values:
    """The derivatives by a and sigma, of those of G2++."""
    jacobian, hessian = values.jacobian, values.hessian
    jacobian = jacobian[..., OWN] if jacobian.size else jacobian[:, :2]
    hessian = hessian[..., OWN, :][..., OWN] if hessian.size else hessian[:, :2, :2]
    return Values(values.prices, jacobian, hessian, values.is_degenerate)


@dataclass(frozen=True, slots=True, eq=False)
class HullWhitePricer:
    """The caps of one day."""

    caps: Pricer

    def evaluate(self, parameters: Array, order: int, threads: int | None = 1) -> Values:
        """Prices and derivatives at parameters (n, 2)."""
        return own(self.caps.evaluate(as_g2(parameters), order, threads))


@dataclass(frozen=True, slots=True, eq=False)
class HullWhiteQuantities:
    """What follows from a and sigma."""

    full: Quantities

    @property
    def labels(self) -> tuple[str, ...]:
        """What the numbers are called."""
        return self.full.labels

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What kind of number each is."""
        return self.full.measures

    def values(self, parameters: Array) -> Array:
        """(n, q) at parameters (n, 2)."""
        return self.full.values(as_g2(parameters))

    def gradients(self, parameters: Array) -> Array:
        """(q, 2) at parameters (2,)."""
        return np.asarray(self.full.gradients(as_g2(parameters)[0])[:, OWN])
