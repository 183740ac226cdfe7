"""Diagnoses of many fits, computed together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.numbers import counted
from calibscope.diagnosis.batch import Batch
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.refit.refit import Refit


@dataclass(frozen=True, slots=True, eq=False)
class Diagnoses(Sequence[Diagnosis]):
    """The diagnoses of a panel; `diagnoses[i]` is that of fit i."""

    batches: tuple[Batch, ...]  # fits with equally many quotes
    batch_of: Indices  # (n,) in which batch a fit is
    place_of: Indices  # (n,) and where there
    refits: tuple[Refit, ...]  # to fit each again
    seconds: tuple[Callable[[], Array], ...]  # second derivatives of each, when they are needed

    def __repr__(self) -> str:
        ranks, counts = np.unique(self.of_all("edof"), return_counts=True)
        bands = ", ".join(f"{r} on {n:,}" for r, n in zip(ranks[::-1], counts[::-1], strict=True))
        return f"Diagnoses({counted(len(self), 'fit')}, {self.batches[0].mode}: EDoF {bands})"

    def __len__(self) -> int:
        return len(self.batch_of)

    @overload
    def __getitem__(self, day: int) -> Diagnosis: ...

    @overload
    def __getitem__(self, day: slice) -> Sequence[Diagnosis]: ...

    def __getitem__(self, day: int | slice) -> Diagnosis | Sequence[Diagnosis]:
        if isinstance(day, slice):
            return [self[i] for i in range(*day.indices(len(self)))]
        batch = self.batches[int(self.batch_of[day])]
        return batch.one(int(self.place_of[day]), self.refits[day], self.seconds[day])

    def __iter__(self) -> Iterator[Diagnosis]:
        return (self[day] for day in range(len(self)))

    def of_all(self, name: str) -> Array:
        """One number or array of every fit, the fit first: "edof", "leverage", a flag's name.

        What has an entry per quote needs equally many quotes on all days.

        x = (dx_1.name, ..., dx_n.name); formulas and sources (paper) are those of `Diagnosis`.

        Parameters
        ----------
        name : of a property of `Diagnosis`, or of a flag

        Returns
        -------
        Array
            (n, ...)
        """
        if name in ("summary", "unidentified_combinations"):
            raise ValueError(f"{name} is in words; take [dx.{name} for dx in diagnoses]")
        pieces = [
            np.asarray(getattr(batch.flags if hasattr(batch.flags, name) else batch, name))
            for batch in self.batches
        ]
        if len({piece.shape[1:] for piece in pieces}) > 1:
            raise ValueError(
                f"{name} has another shape on some days: quotes or parameters are not equally many"
            )
        result = np.empty((len(self), *pieces[0].shape[1:]), pieces[0].dtype)
        for number, piece in enumerate(pieces):
            days = np.flatnonzero(self.batch_of == number)
            result[days] = piece[self.place_of[days]]
        return result
