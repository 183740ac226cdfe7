"""What a model is to the rest of the package, and where models are found by name.

A model is a set of parameters that prices the quotes of a day. It says what its parameters are
(`specs`) and hands out a pricer for a day; calibration, evidence, diagnosis and refits need no
more. A model from another package announces itself by an entry point,

    [project.entry-points."calibscope.models"]
    ho-lee = "my_package.ho_lee:HoLee"

so that workers of a cluster find it too, or, within one process, by `register`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray
from calibscope.base.brief import brief
from calibscope.base.entry_points import announced, loaded
from calibscope.base.errors import EntryPointError
from calibscope.base.measures import Quantities
from calibscope.base.parameters import Specs
from calibscope.base.spelling import choose_from
from calibscope.market.day import MarketDay

GROUP = "calibscope.models"
DEFAULT = "g2++"
BUILT_IN = {
    "g2++": "calibscope.models.g2.model:G2",
    "hull-white": "calibscope.models.hull_white.model:HullWhite",
}
_REGISTERED: dict[str, type["Model"]] = {}


class Values(NamedTuple):
    """Prices of m quotes at n points, with derivatives by the p parameters."""

    prices: Array  # (n, m)
    jacobian: Array  # (n, m, p); empty below order 1
    hessian: Array  # (n, m, p, p); empty below order 2
    is_degenerate: BoolArray  # (n, m) derivatives that do not exist, set to zero

    def at(self, row: int) -> "Values":
        """Those of one point: (m,), (m, p), (m, p, p) and (m,).

        Parameters
        ----------
        row : which point

        Returns
        -------
        Values
            without the first axis
        """
        jacobian, hessian = (part[row] if len(part) else part for part in self[1:3])
        return Values(self.prices[row], jacobian, hessian, self.is_degenerate[row])


class Pricer(Protocol):
    """The quotes of one day, ready to be priced at many points."""

    def evaluate(self, parameters: Array, order: int, threads: int | None = 1) -> Values:
        """Prices (order 0), Jacobian (1) and Hessian (2) at parameters (n, p).

        Parameters
        ----------
        parameters : (n, p)
        order : 0, 1 or 2: how many derivatives
        threads : how many to use; None means all cores

        Returns
        -------
        Values
            prices (n, m), Jacobian (n, m, p), Hessian (n, m, p, p)
        """


class Model(ABC):
    """One set of parameters of a model, with the prices that follow.

    A subclass is a frozen dataclass whose fields are the parameters, in the order of `specs`.
    """

    __slots__ = ()

    name: ClassVar[str]  # by which `cs.calibrate(day, model=...)` knows it
    title: ClassVar[str]  # as pages write it
    specs: ClassVar[Specs]
    nested_in: ClassVar[tuple[str, ...]] = ()  # models of which this one is a special case
    horizons: ClassVar[tuple[float, ...]] = ()  # years, usual ones of `quantities`; none without

    @classmethod
    @abstractmethod
    def pricer(cls, day: MarketDay) -> Pricer:
        """The quotes of a day, ready to be priced.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Pricer
            prices with derivatives, at many points in one call
        """

    @classmethod
    def evaluate_days(
        cls, days: Sequence[MarketDay], parameters: Array, order: int, threads: int | None = 1
    ) -> Values:
        """Days with equally many quotes, each at its own parameters (days, p).

        A model that can price days together does so here.

        Parameters
        ----------
        days : with m quotes each
        parameters : (days, p)
        order : 0, 1 or 2: how many derivatives
        threads : how many to use; None means all cores

        Returns
        -------
        Values
            with the day first
        """
        each = [
            cls.pricer(day).evaluate(point[None, :], order, threads)
            for day, point in zip(days, parameters, strict=True)
        ]
        return Values(*map(np.concatenate, zip(*each, strict=True)))

    @classmethod
    def from_values(cls, values: ArrayLike) -> Self:
        """The model with parameters (p,), in the order of `specs`.

        Parameters
        ----------
        values : (p,)

        Returns
        -------
        Self
            checked parameters
        """
        return cls(*np.asarray(values, float).tolist())

    @classmethod
    def equivalents(cls, point: Array) -> tuple[Array, ...]:
        """Parameters that mean the same model, the point itself first.

        Parameters
        ----------
        point : (p,), or (n, p)

        Returns
        -------
        tuple[Array, ...]
            of the same shape each
        """
        return (point,)

    @classmethod
    def is_canonical(cls, points: Array) -> BoolArray:
        """Whether points (..., p) are in the order that is shown, of those that mean the same.

        Parameters
        ----------
        points : (..., p)

        Returns
        -------
        BoolArray
            (...)
        """
        return np.ones(np.shape(points)[:-1], dtype=bool)

    @classmethod
    def has_equal_speeds(cls, point: Array) -> bool:
        """Whether two factors have the same speed, so that the model is one with fewer.

        Parameters
        ----------
        point : (p,)

        Returns
        -------
        bool
            False for models with one factor
        """
        return False

    @classmethod
    def quantities(
        cls, day: MarketDay, horizons: ArrayLike, instruments: Sequence[Any]
    ) -> Quantities:
        """What follows from parameters, for `Diagnosis.consequences`.

        Parameters
        ----------
        day : whose curve and dates count
        horizons : years
        instruments : of kinds that the model knows

        Returns
        -------
        Quantities
            values and gradients
        """
        raise ValueError(f"{cls.name} defines no derived quantities; pass quantities=")

    @property
    def values(self) -> Array:
        """(p,) the parameters, in the order of `specs`."""
        return np.array([getattr(self, name) for name in self.specs.names], dtype=float)

    def prices(self, day: MarketDay) -> Array:
        """(m,) model prices of the day's quotes.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Array
            (m,) in the order of the day's quotes
        """
        return self._evaluated(day, 0).prices

    def jacobian(self, day: MarketDay) -> Array:
        """(m, p) derivatives of the prices by the parameters.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Array
            (m, p)
        """
        return self._evaluated(day, 1).jacobian

    def hessian(self, day: MarketDay) -> Array:
        """(m, p, p) second derivatives of the prices.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Array
            (m, p, p), symmetric in the last two axes
        """
        return self._evaluated(day, 2).hessian

    def _evaluated(self, day: MarketDay, order: int) -> Values:
        return self.pricer(day).evaluate(self.values[None, :], order).at(0)


def register(model: type[Model]) -> type[Model]:
    """Make a model known by its name, in this process; usable as a decorator.

    Parameters
    ----------
    model : a class with a name of its own

    Returns
    -------
    type[Model]
        the same class
    """
    _check(model)
    if model.name in BUILT_IN:
        raise ValueError(f"{model.name} is a model of calibscope; give another name")
    _REGISTERED[model.name] = model
    return model


def _check(model: type["Model"]) -> None:
    """Refuse a class that cannot be calibrated, with all that it lacks."""
    if not (isinstance(model, type) and issubclass(model, Model)):
        raise TypeError(f"expected a subclass of Model, got {brief(model)}")
    lacking = [name for name in ("name", "title", "specs") if not hasattr(model, name)]
    if lacking:
        raise TypeError(f"{model.__name__} has no {', '.join(lacking)}; a model needs each")
    problems = []
    for spec in model.specs:
        low, high = spec.bounds
        if not low <= spec.start <= high:
            problems.append(f"{spec.name} starts at {spec.start:g}, outside its bounds")
        finite = [x for x in (low, high, spec.start) if np.isfinite(x)]
        with np.errstate(divide="ignore", invalid="ignore"):
            places = spec.solver_scale.coordinate(finite)
        if not np.isfinite(places).all():
            problems.append(
                f"{spec.name} has no finite {spec.solver_scale.transform} at a bound or at its "
                "start; give others, or another solver_scale"
            )
    if problems:
        raise ValueError(f"{model.__name__}: {'; '.join(problems)}")


def model_names() -> tuple[str, ...]:
    """The names by which models are found."""
    return tuple(dict.fromkeys((*BUILT_IN, *_REGISTERED, *announced(GROUP))))


def model_named(model: "str | type[Model]") -> type[Model]:
    """The model of a name; a model itself is returned as it is."""
    if isinstance(model, type):
        _check(model)
        return model
    if model in _REGISTERED:
        return _REGISTERED[model]
    if not isinstance(model, str) or model not in {**BUILT_IN, **announced(GROUP)}:
        raise ValueError(f"model is {brief(model)}; {choose_from(model_names(), model)}")
    return _loaded(model)


@cache
def _loaded(name: str) -> type[Model]:
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
    point = announced(GROUP)[name]
    model: type[Model] = loaded(point)
    try:
        _check(model)
    except (TypeError, ValueError) as error:
        raise EntryPointError(point, str(error)) from None
    return model
