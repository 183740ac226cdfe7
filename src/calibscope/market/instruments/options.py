r"""Options on cash flows: the form in which the market hands every instrument to a model.

At its expiry T an option pays the value of its cash flows, if that is positive,

.. math:: \Bigl(\sum_i c_i\,P(T, t_i)\Bigr)^+, \qquad t_i \ge T,

with signed amounts c_i. A caplet has two of them: 1 at its reset and :math:`-(1 + K\delta)` at its
payment (paper, section 2.2). Rates compounded in arrears are not of this form.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices, frozen, offsets
from calibscope.base.numbers import counted


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """Options on cash flows that are bought together: one instrument."""

    expiries: Array  # (o,) years from today, not negative
    flow_counts: Indices  # (o,) how many cash flows each option is on
    times: Array  # (f,) years from today, option after option, increasing within each
    amounts: Array  # (f,) for one unit of notional, positive where they are received

    def __post_init__(self) -> None:
        for name in ("expiries", "times", "amounts"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        counts = np.array(self.flow_counts, dtype=np.int64)
        counts.flags.writeable = False
        object.__setattr__(self, "flow_counts", counts)
        self._check()

    def _check(self) -> None:
        if len(self.expiries) != len(self.flow_counts) or not len(self.expiries):
            raise ValueError(
                f"{counted(len(self.expiries), 'expiry', 'expiries')} but "
                f"{counted(len(self.flow_counts), 'number')} of cash flows; "
                "give one of each per option, at least one"
            )
        total = int(self.flow_counts.sum())
        if self.flow_counts.min() < 2 or not len(self.times) == len(self.amounts) == total:
            raise ValueError(
                f"{counted(len(self.times), 'time')} and {counted(len(self.amounts), 'amount')} "
                f"for {counted(total, 'cash flow')}; give both for every flow, "
                "and each option two flows or more"
            )
        if not (np.isfinite(self.times).all() and np.isfinite(self.amounts).all()):
            raise ValueError("times and amounts of cash flows must be finite numbers")
        first = offsets(self.flow_counts)[:-1]
        rises = np.diff(self.times) > 0
        rises[first[1:] - 1] = True  # from one option to the next
        if not ((self.expiries >= 0) & (self.times[first] >= self.expiries)).all() or (
            not rises.all()
        ):
            raise ValueError(
                "cash flows must follow each other in time, none before the option's expiry, and "
                "no expiry before today"
            )

    @classmethod
    def of_two_flows(
        cls, expiries: ArrayLike, payments: ArrayLike, at_expiry: ArrayLike, later: ArrayLike
    ) -> "Options":
        """Options on an amount at expiry and one later, as caplets, floorlets and bond options are.

        Parameters
        ----------
        expiries, payments : (o,) years from today, 0 <= expiry < payment
        at_expiry, later : (o,) amounts, one of them negative

        Returns
        -------
        Options
            with two cash flows each
        """
        columns = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(c, float)) for c in (expiries, payments, at_expiry, later))
        )
        times, amounts = np.stack(columns[:2], axis=1), np.stack(columns[2:], axis=1)
        return cls(columns[0], np.full(len(times), 2), times.ravel(), amounts.ravel())
