"""What moves, year by year: the paper's regimes in one table (section on regimes, lessons)."""

import numpy as np
import pandas as pd

from calibscope.study.statistics.edof_switches import switched
from calibscope.study.statistics.parameter_pca import parameter_pca
from calibscope.study.statistics.periods import by_period
from calibscope.study.study import Study


def regime_summary(study: Study) -> pd.DataFrame:
    """Fit, parameters, EDoF, bounds and dispersion of the principal components, per year.

    Medians, 75 % minus 25 % quantiles, and the scores Z V of `parameter_pca` (paper, section on
    regimes), Z = U S V^T.

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        period (a year, or "all"), days (with results), rmsre_median; <parameter>_median,
        <parameter>_spread (75 % minus 25 % quantile) and <parameter>_plausible (median of the best
        plausible fits) for each; plausible_rmsre_median; implausible, the share of days whose best
        fit is; the shares of days with
        edof_full, edof_one_lost and edof_more_lost; edof_switches, and switch_share of the days
        that have one before; at_bound (share of days with any parameter at a bound); pc1_spread
        and pc2_spread (standard deviation of the scores of the whole history's components)
    """
    groups = by_period(_daily(study)).groupby("period")
    names = list(study.specs.names)
    spreads = groups[names].quantile(0.75) - groups[names].quantile(0.25)
    medians = groups[names].median()
    table = pd.DataFrame(
        {"days": groups["rmsre"].count(), "rmsre_median": groups["rmsre"].median()}
    )
    for name in names:
        table[f"{name}_median"], table[f"{name}_spread"] = medians[name], spreads[name]
        table[f"{name}_plausible"] = groups[f"{name}_plausible"].median()
    table["plausible_rmsre_median"] = groups["plausible_rmsre"].median()
    table["implausible"] = groups["implausible"].mean()
    shares = ["edof_full", "edof_one_lost", "edof_more_lost"]
    table[shares] = groups[shares].mean()
    table["edof_switches"] = groups["switched"].sum().astype(int)
    table["switch_share"] = groups["switched"].mean()
    table["at_bound"] = groups["at_bound"].mean()
    table[["pc1_spread", "pc2_spread"]] = groups[["PC1", "PC2"]].std()
    return table.reset_index()


def _daily(study: Study) -> pd.DataFrame:
    """One row per date with all that is summarised; NaN without results."""
    days = study.days
    lost = pd.to_numeric(days["lost_directions"])
    at_bound, implausible = (
        days[name].to_numpy(float, na_value=np.nan)
        for name in ("has_parameters_at_bound", "is_implausible")
    )
    levels = {"edof_full": lost == 0, "edof_one_lost": lost == 1, "edof_more_lost": lost > 1}
    frame = days[["date", "rmsre"]].assign(
        **{name: marks.astype(float).where(lost.notna()) for name, marks in levels.items()},
        switched=switched(study),
        at_bound=at_bound,
        implausible=implausible,
        plausible_rmsre=pd.to_numeric(days["plausible_rmsre"]),
    )
    scores = parameter_pca(study).scores.reindex(columns=["date", "PC1", "PC2"])
    for columns in (study.estimates, study.plausible_estimates.add_suffix("_plausible"), scores):
        frame = frame.merge(columns, on="date", how="left")
    return frame
