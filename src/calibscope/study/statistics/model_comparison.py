r"""Several models fitted to the same days, side by side: how well, and what the quotes identify.

Where one model is a special case of another, the days on which the market supports the larger one
are counted by the F statistic of nested least squares,

.. math:: F = \frac{(Q_1 - Q_2)/(p_2 - p_1)}{Q_2/(m - p_2)},

with Q the weighted sums of squares and m the quotes (Seber and Wild, 2003, section 5.3), against
the 95 % quantile of the F distribution. That is a first impression: it takes independent noise and
inner optima for granted. `examples/second_factor.py` simulates the distribution for single days.
"""

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution

from calibscope.base.parameters import Specs
from calibscope.study.study import Study

PINNED = 2.0  # high over low of a range that pins a parameter down
PINNED_SHARE = 0.1  # the same of a parameter without logarithm: share of the way between bounds
LEVEL = 0.95


def model_comparison(study: Study) -> pd.DataFrame:
    """One row per model of the study, all of them on the days that every model has fitted.

    RMSRE = sqrt(mean(((g_k - y_k) / y_k)^2)), EDoF = rank(A) (paper, eq. rmsre_objective and
    section on EDoF).

    Parameters
    ----------
    study : with one or several models

    Returns
    -------
    DataFrame
        model, parameters (how many), days, rmsre_median, rmsre_q95, edof_median, the shares of days
        with edof_full and at_bound, of days that are green, amber and red; ranges (days with
        near-optimal ranges) and pinned: how many parameters the quotes pin down there, median. A
        parameter is pinned down where its near-optimal range is narrower than a factor of two
    """
    studies = [study.of(name) for name in study.installed_models] or [study]
    common = _common_dates(studies)
    return pd.DataFrame([_summary(one, common) for one in studies])


def days_by_model(study: Study) -> pd.DataFrame:
    """Every model on every day: RMSRE, EDoF and RAG status.

    RMSRE = sqrt(mean(((g_k - y_k) / y_k)^2)) (paper, eq. rmsre_objective).

    Parameters
    ----------
    study : with one or several models

    Returns
    -------
    DataFrame
        date, model, rmsre, edof, rag
    """
    pieces = []
    for one in [study.of(name) for name in study.models] or [study]:
        frame = one.days[["date", "model", "rmsre", "edof"]]
        pieces.append(frame.merge(one.rag[["date", "rag"]], on="date"))
    return pd.concat(pieces).sort_values("date", kind="stable", ignore_index=True)


def near_optimal_ranges(study: Study) -> pd.DataFrame:
    """Every model's near-optimal ranges, where a run has kept them.

    All t with min f(q), q_p = t, at most 1.1^2 min f (Bates and Watts, 1988, section 6.1).

    Parameters
    ----------
    study : with several models

    Returns
    -------
    DataFrame
        date, model, parameter, estimate, low, high, is_low_at_bound, is_high_at_bound, is_pinned
    """
    pieces = [_with_marks(study.of(name)) for name in study.installed_models]
    return pd.concat(pieces or [_with_marks(study)], ignore_index=True)


def nested_models(study: Study) -> pd.DataFrame:
    """How often the market supports the larger of two nested models.

    F = ((Q_1 - Q_2) / (p_2 - p_1)) / (Q_2 / (m - p_2)) above its 95 % quantile (Seber and Wild,
    2003, section 5.3).

    Parameters
    ----------
    study : with several models

    Returns
    -------
    DataFrame
        smaller, larger, days (fitted by both, with quotes to spare), f_median, supported (share of
        days with F above the quantile); a row per pair of nested models
    """
    rows = []
    for larger in study.installed_models:
        for smaller in study.installed_models:
            if larger in study.model_of(smaller).nested_in:
                rows.append(_supported(study.of(smaller), study.of(larger)))
    return pd.DataFrame(rows, columns=["smaller", "larger", "days", "f_median", "supported"])


def _common_dates(studies: list[Study]) -> set[pd.Timestamp]:
    dates = [set(one.fitted["date"]) for one in studies]
    return set.intersection(*dates) if dates else set()


def _summary(study: Study, dates: set[pd.Timestamp]) -> dict[str, object]:
    fitted = study.fitted[study.fitted["date"].isin(dates)]
    rag = study.rag.loc[study.rag["date"].isin(dates), "rag"]
    ranges = _with_marks(study)
    pinned = ranges.groupby("date")["is_pinned"].sum()
    return {
        "model": study.model,
        "parameters": len(study.specs.names),
        "days": len(fitted),
        "rmsre_median": fitted["rmsre"].median(),
        "rmsre_q95": fitted["rmsre"].quantile(0.95),
        "edof_median": fitted["edof"].median(),
        "edof_full": (fitted["lost_directions"] == 0).mean(),
        "at_bound": fitted["has_parameters_at_bound"].mean(),
        **{name: (rag == name).mean() for name in ("green", "amber", "red")},
        "ranges": len(pinned),
        "pinned": pinned.median(),
    }


def _with_marks(study: Study) -> pd.DataFrame:
    ranges = study.near_optimal.drop(columns="run_id")
    ranges.insert(1, "model", study.model)
    estimates = study.parameters[["date", "parameter", "estimate"]]
    ranges = ranges.merge(estimates, on=["date", "parameter"], how="left")
    ranges.insert(3, "estimate", ranges.pop("estimate"))
    order = {name: place for place, name in enumerate(study.specs.names)}
    ranges = ranges.sort_values(
        ["date", "parameter"],
        key=lambda column: column.map(order) if column.name == "parameter" else column,
        ignore_index=True,
    )
    return ranges.assign(is_pinned=_is_pinned(ranges, study.specs))


def _is_pinned(ranges: pd.DataFrame, specs: Specs) -> "pd.Series[bool]":
    is_log = dict(zip(specs.names, specs.coordinates.is_log.tolist(), strict=True))
    room = {spec.name: spec.bounds[1] - spec.bounds[0] for spec in specs}
    low, high = ranges["low"], ranges["high"]
    by_factor = high < PINNED * low
    by_share = (high - low) < PINNED_SHARE * ranges["parameter"].map(room)
    return pd.Series(
        np.where(ranges["parameter"].map(is_log).astype(bool), by_factor, by_share),
        ranges.index, dtype=bool,
    )  # fmt: skip


def _supported(smaller: Study, larger: Study) -> dict[str, object]:
    columns = ["date", "objective", "quote_count"]
    both = smaller.fitted[columns].merge(larger.fitted[columns], on="date", suffixes=("_1", "_2"))
    p_1, p_2 = len(smaller.specs.names), len(larger.specs.names)
    left = both["quote_count_2"].astype(float) - p_2
    both, left = both[left > 0], left[left > 0]
    Q_1, Q_2 = both["objective_1"], both["objective_2"]
    with np.errstate(divide="ignore", invalid="ignore"):
        F = ((Q_1 - Q_2) / (p_2 - p_1)) / (Q_2 / left)
    is_above = f_distribution.ppf(LEVEL, p_2 - p_1, left) < F
    return {
        "smaller": smaller.model,
        "larger": larger.model,
        "days": len(both),
        "f_median": F.median(),
        "supported": is_above.mean() if len(both) else np.nan,
    }
