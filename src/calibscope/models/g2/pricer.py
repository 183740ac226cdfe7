"""The caps of one day, priced at many points in one call of the kernel."""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import CapValues, evaluate
from calibscope.models.model import Values


@dataclass(frozen=True, slots=True, eq=False)
class CapPricer:
    """G2++'s side of the protocol `models.model.Pricer`."""

    book: CapBook  # of one day

    def evaluate(self, parameters: Array, order: int, threads: int | None = 1) -> Values:
        """Prices and derivatives at parameters (n, 5)."""
        points = np.atleast_2d(parameters)
        book = self.book if len(points) == 1 else self.book.repeated(len(points))
        return batched(evaluate(points, book, order, threads), len(points))


def batched(values: CapValues, count: int) -> Values:
    """The same numbers, with the day or the point first."""
    p = values.jacobian.shape[-1]
    return Values(
        values.prices.reshape(count, -1),
        values.jacobian.reshape(count, -1, p) if values.jacobian.size else values.jacobian,
        values.hessian.reshape(count, -1, p, p) if values.hessian.size else values.hessian,
        values.is_degenerate.reshape(count, -1),
    )
