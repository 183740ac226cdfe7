"""Days that were fitted and diagnosed together: what metrics are computed from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calibscope.base.arrays import Indices
from calibscope.base.threads import share_days
from calibscope.calibration.calibrate import Fits
from calibscope.calibration.near_optimal.plausible import PlausibleFits, plausible_fits
from calibscope.calibration.near_optimal.reach import Reach, reaches
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.batch import Batch
from calibscope.diagnosis.diagnose import diagnose_many, in_mode
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.refit.leave_one_out import LEFT_OUT
from calibscope.diagnosis.refit.outliers import known_outlier
from calibscope.diagnosis.settings import USUAL, DiagnosisSettings, Mode
from calibscope.market.day import MarketDay
from calibscope.study.left_out import LeftOut, has_quick_refits, left_out_of


@dataclass(frozen=True, eq=False)
class Diagnosed:
    """Days with equally many quotes, fitted and diagnosed: what a metric is computed from.

    Arrays have the day first; an anchor's rows come after the quotes.
    """

    fits: Sequence[Fit]  # n of them
    own: Batch  # in the mode of the settings
    full: Batch
    strict: Batch
    diagnosis: Callable[[int], Diagnosis]  # of each fit, in the mode of the settings
    threads: int | None = None  # None: all cores

    @cached_property
    def days(self) -> tuple[MarketDay, ...]:
        """(n,) the quotes and curves."""
        return tuple(fit.problem.day for fit in self.fits)

    @cached_property
    def plausible(self) -> PlausibleFits:
        """The best plausible fit of each day."""
        return plausible_fits(self.fits, self.threads)

    @cached_property
    def left_out(self) -> LeftOut:
        """Every quote of each day left out, where that is quick."""
        return left_out_of(self.fits, self.diagnosis, self.threads)

    @cached_property
    def outliers(self) -> tuple[str, ...]:
        """(n,) whom the fits without each quote accuse; "" for nobody, or where that takes long."""
        return tuple(known_outlier(self._informed(k)) for k in range(len(self.fits)))

    @cached_property
    def summaries(self) -> tuple[str, ...]:
        """(n,) each diagnosis in a sentence or two."""
        return tuple(self._informed(k).summary for k in range(len(self.fits)))

    def _informed(self, k: int) -> Diagnosis:
        """The diagnosis of a fit, which need not leave every quote out again."""
        dx = self.diagnosis(k)
        dx.known_left_out[LEFT_OUT] = self.left_out.answers[k]
        return dx

    @cached_property
    def reaches(self) -> tuple[tuple[Reach, ...], ...]:
        """(n,) how far near-optimal fits spread each parameter; nothing where that takes long."""
        found: list[tuple[Reach, ...]] = [()] * len(self.fits)

        def work(begin: int, end: int) -> None:
            for k in range(begin, end):
                problem = self.fits[k].problem
                if has_quick_refits(problem):
                    found[k] = reaches(problem, self.fits[k].parameters.values, threads=1)

        share_days(work, len(found), self.threads, fewest=1)
        return tuple(found)

    @property
    def quote_count(self) -> int:
        """How many quotes each day has."""
        return len(self.days[0].prices)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """(p,) in the model's order."""
        return self.fits[0].problem.specs.names


def diagnosed(
    fits: Fits | Sequence[Fit],
    mode: Mode | None = None,
    settings: DiagnosisSettings = USUAL,
    threads: int | None = None,
) -> Iterator[tuple[Indices, Diagnosed]]:
    """Fits with equally many quotes together, and their places among all."""
    mode = settings.mode if mode is None else mode
    own = diagnose_many(fits, mode, settings, threads)
    full, strict = (own if other == mode else in_mode(own, other) for other in ("full", "strict"))
    every = list(fits)
    for number, batch in enumerate(own.batches):
        places = np.flatnonzero(own.batch_of == number)
        yield (
            places,
            Diagnosed(
                [every[place] for place in places],
                batch,
                full.batches[number],
                strict.batches[number],
                lambda k, places=places: own[int(places[k])],  # type: ignore[misc]
                threads,
            ),
        )
