"""Everything that fitting a day again can tell, computed once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.bates_watts import BatesWatts
from calibscope.diagnosis.linear.data_worth import DataWorth
from calibscope.diagnosis.propagate.consequences import Consequences
from calibscope.diagnosis.refit.bootstrap import Bootstrap
from calibscope.diagnosis.refit.comparison import IntervalComparison, compare_intervals
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.diagnosis.refit.outliers import Outliers
from calibscope.diagnosis.refit.profile import Profiles
from calibscope.diagnosis.refit.robust import Robust
from calibscope.diagnosis.settings import LEVELS

STEPS = 8


@dataclass(frozen=True, slots=True, eq=False)
class RefitAnswers:
    """What a diagnosis says when it may fit again."""

    dx: Diagnosis
    is_reproduced: bool  # the same quotes, fitted again, are met no better
    leave_one_out: LeaveOneOut
    profiles: Profiles
    bootstrap: Bootstrap
    intervals: IntervalComparison
    robust: tuple[Robust, ...]
    outliers: Outliers
    bates_watts: BatesWatts
    data_worth: DataWorth
    consequences: Consequences | None  # None: the model defines no derived quantities

    @property
    def has_profiles(self) -> bool:
        """Whether there is a noise that says how far to walk."""
        limits = self.profiles.limits
        return bool(np.isfinite(limits).all()) and not self.dx.flags.is_perfect


def refit_answers(
    dx: Diagnosis, progress: Callable[[int, int], None] = lambda done, total: None
) -> RefitAnswers:
    """Leave out, profile, simulate and fit robustly; one or two seconds a day.

    Parameters
    ----------
    progress : called with how many of the steps are done, and of how many
    """
    refits = dx.refits
    progress(0, STEPS)
    left_out = refits.leave_one_out()
    progress(1, STEPS)
    profiles = refits.profiles()
    progress(2, STEPS)
    bootstrap = refits.bootstrap()
    progress(6, STEPS)  # a thousand fits
    robust = (refits.robust("huber"), refits.robust("cauchy"))
    outliers = refits.outliers()
    progress(7, STEPS)
    has_replicates = bool(np.isfinite(bootstrap.parameters).all())
    replicates = bootstrap.parameters if has_replicates else None
    consequences = dx.consequences(replicates=replicates) if dx.has_quantities else None
    progress(STEPS, STEPS)
    return RefitAnswers(
        dx,
        refits.is_reproduced,
        left_out,
        profiles,
        bootstrap,
        compare_intervals(dx, LEVELS[-1], bootstrap, profiles),
        robust,
        outliers,
        dx.bates_watts(),
        dx.data_worth(),
        consequences,
    )
