"""The caps of one day, priced at many points in one call of the kernel."""

from dataclasses import dataclass, field

import numpy as np

from calibscope.base.arrays import Array
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import CapValues, evaluate
from calibscope.models.model import Values

REMEMBERED = 64  # repetitions: a profile asks for a few dozen points hundreds of times


@dataclass(frozen=True, slots=True, eq=False)
class CapPricer:
    """G2++'s side of the protocol `models.model.Pricer`."""

    book: CapBook  # of one day
    repeated: dict[int, CapBook] = field(default_factory=dict)  # by how often, where that is few

    def evaluate(self, parameters: Array, order: int, threads: int | None = 1) -> Values:
        """Prices and derivatives at parameters (n, 5)."""
        points = np.atleast_2d(parameters)
        return batched(evaluate(points, self._book(len(points)), order, threads), len(points))

    def _book(self, count: int) -> CapBook:
        if count == 1:
            return self.book
        book = self.repeated.get(count) or self.book.repeated(count)
        if count <= REMEMBERED:
            self.repeated[count] = book
        return book


def batched(values: CapValues, count: int) -> Values:
    """The same numbers, with the day or the point first."""
    p = values.jacobian.shape[-1]
    return Values(
        values.prices.reshape(count, -1),
        values.jacobian.reshape(count, -1, p) if values.jacobian.size else values.jacobian,
        values.hessian.reshape(count, -1, p, p) if values.hessian.size else values.hessian,
        values.is_degenerate.reshape(count, -1),
    )
