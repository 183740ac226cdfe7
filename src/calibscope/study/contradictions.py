"""Which stored delta intervals the stored profiles contradict, by the rule of `comparison.py`."""

from typing import TYPE_CHECKING

from calibscope.base.parameters import Specs
from calibscope.base.transforms import Coordinates
from calibscope.diagnosis.refit.comparison import contradicted

if TYPE_CHECKING:
    import pandas as pd

KEYS = ["date", "parameter", "scale", "level"]
DELTA, PROFILE = ["low", "high"], ["profile_low", "profile_high"]


def with_contradictions(
    intervals: "pd.DataFrame", profiles: "pd.DataFrame", specs: Specs
) -> "pd.DataFrame":
    """Delta intervals with `is_contradicted`: null where no profile of that scale is stored.

    Parameters
    ----------
    intervals, profiles : tables of a study
    specs : of its parameters
    """
    known = profiles[[*KEYS, *DELTA]].rename(columns=dict(zip(DELTA, PROFILE, strict=True)))
    both = intervals[[*KEYS, *DELTA]].merge(known, on=KEYS, how="left")
    is_known = both["profile_low"].notna()
    marks = both["level"].isna().astype("boolean").mask(~is_known)
    for spec in specs:
        is_own = is_known & (both["parameter"] == spec.name)
        delta, profile = (both.loc[is_own, ends].to_numpy(float).T for ends in (DELTA, PROFILE))
        found = contradicted(
            (delta[0, :, None], delta[1, :, None]),
            (profile[0, :, None], profile[1, :, None]),
            Coordinates((spec.profile_scale,)),
        )
        marks[is_own] = found[:, 0]
    return intervals.assign(is_contradicted=marks.array)
