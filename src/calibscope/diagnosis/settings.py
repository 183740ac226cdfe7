"""Where numbers become flags: the thresholds of a diagnosis, in one place."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class DiagnosisSettings:
    """Thresholds of a diagnosis; `dataclasses.replace` changes one."""

    is_shared: ClassVar[bool] = True

    rank_tolerance: float = 1.5e-8  # singular values below this times the largest do not count
    tikhonov: float = 1e-8  # lambda over the largest singular value squared
    unidentified_share: float = 0.05  # squared length of a parameter's unit vector that was dropped
    leverage_near_one: float = 0.95  # beyond, the Noether condition is in doubt
    forced_leverage: float = 1.0 - 1e-12  # beyond, a quote is met whatever it says
    multiplier_errors: float = 2.0  # of a bound's multiplier, in standard errors: above, it holds
    masking: float = 2.0  # scale_mse over scale_mad: beyond, few residuals set the scale
    curvature: float = 0.1  # largest |eigenvalue| of what Gauss-Newton leaves out
    influence_disagreement: float = 0.1  # of Gauss-Newton's influence from the exact one
    smallest_eigenvalue: float = 1e-6  # of the exact Hessian over Gauss-Newton's: below, singular
    relative_offset: float = 1e-6  # beyond, the residuals are not those of an optimum
    perfect: float = 1e-10  # residuals over observations: below, there is no noise to measure
    cooks_distance: float = 1.0  # beyond, one quote moves the parameters out of their own region
    outlier_probability: float = 0.05  # of an outlier on a day without any (Bonferroni)
    edof_disagreement: float = 0.5  # between Tikhonov's EDoF and the rank
    level: float = 0.95  # of the intervals whose cuts are flagged
