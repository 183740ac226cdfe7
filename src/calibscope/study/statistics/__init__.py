"""What a history says: the statistics of the paper's empirical section, for any study.

Each function takes a `Study` and gives a tidy table. Shares are between 0 and 1 and refer to days
with results. A study without any gives tables with the same columns and without rows, or, where a
row stands for a year, with no days in it.

=========================  ====================================================================
how good is the fit?       `fit_over_time`
which quotes decide it?    `leverage_by_maturity`, `influence_by_maturity`, `boundary_dominance`
                           (`end_shares` day by day)
what is identified?        `edof_levels`, `edof_switches`, `active_constraints`
how uncertain is it?       `profile_shares`, `interval_shares`, `gauss_newton_adequacy`
is the noise independent?  `misfit`, `residual_correlations`
what moves over time?      `parameter_pca`, `regime_summary`
what of these dates?       `reference_dates`
which model?               `model_comparison`, `nested_models` (`days_by_model`,
                           `near_optimal_ranges`)
=========================  ====================================================================
"""

from calibscope.study.statistics.active_constraints import active_constraints
from calibscope.study.statistics.boundary_dominance import boundary_dominance, end_shares
from calibscope.study.statistics.completeness import completeness
from calibscope.study.statistics.edof_levels import edof_levels
from calibscope.study.statistics.edof_switches import edof_switches
from calibscope.study.statistics.fit_over_time import fit_over_time
from calibscope.study.statistics.gauss_newton_adequacy import gauss_newton_adequacy
from calibscope.study.statistics.influence_by_maturity import influence_by_maturity
from calibscope.study.statistics.interval_shares import interval_shares
from calibscope.study.statistics.leverage_by_maturity import leverage_by_maturity
from calibscope.study.statistics.misfit import misfit, residual_correlations
from calibscope.study.statistics.model_comparison import (
    days_by_model,
    model_comparison,
    near_optimal_ranges,
    nested_models,
)
from calibscope.study.statistics.parameter_pca import ParameterPCA, parameter_pca
from calibscope.study.statistics.profile_shares import profile_shares
from calibscope.study.statistics.reference_dates import reference_dates
from calibscope.study.statistics.regime_summary import regime_summary

__all__ = [
    "ParameterPCA",
    "active_constraints",
    "boundary_dominance",
    "completeness",
    "days_by_model",
    "edof_levels",
    "edof_switches",
    "end_shares",
    "fit_over_time",
    "gauss_newton_adequacy",
    "influence_by_maturity",
    "interval_shares",
    "leverage_by_maturity",
    "misfit",
    "model_comparison",
    "near_optimal_ranges",
    "nested_models",
    "parameter_pca",
    "profile_shares",
    "reference_dates",
    "regime_summary",
    "residual_correlations",
]
