r"""Systematic misfit: are residuals independent noise, or what the model cannot do?

Profiles and standard errors take the residuals of a day for independent noise. On a history that
can be looked at: with relative residuals :math:`r_{tk}` of quote k on day t,

.. math:: b_k = \bar r_k, \qquad
    \rho_k = \frac{\sum_t (r_{tk} - b_k)(r_{t-1,k} - b_k)}{\sum_t (r_{tk} - b_k)^2}, \qquad
    n_k^* = n_k\,\frac{1 - \rho_k}{1 + \rho_k},

bias, autocorrelation at lag one and how many independent days the history is worth (Bartlett,
1946), and the correlations between the residuals of any two quotes. Of these a fit of p parameters
to m quotes leaves some by itself: residuals of independent noise, :math:`(I - H_w) e`, have
correlations whose root mean square is about :math:`\sqrt{p / ((m - 1)(m - p))}`, exactly that where
all leverages are equal.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from calibscope.base.numbers import number, percent
from calibscope.study.statistics.by_quote import labelled
from calibscope.study.study import Study

FEWEST_DAYS = 20  # that tell a correlation
NOTABLE = 0.3  # a correlation that independent noise does not have, on that many days
CLEAR = 4.0  # standard errors of a bias
MORE = 1.5  # times the correlations that a fit leaves
SHORTER = "about 76 to 86 %"  # benchmarks/coverage.py: profiles at 95 % under AR(0.8) noise


def misfit(study: Study) -> pd.DataFrame:
    r"""Bias, autocorrelation and correlation of residuals, by quote.

    :math:`b_k = \bar r_k`, :math:`\rho_k` at lag one of consecutive days with results, and
    :math:`n_k (1 - \rho_k)/(1 + \rho_k)` effective days (Bartlett, 1946).

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        maturity, label, days (on which it was quoted), bias and spread (mean and standard deviation
        of model/market - 1), bias_share (of the mean square), autocorrelation, effective_days, and
        with_next: the correlation with the residuals of the next quote. Correlations need 20 days
    """
    wide = _residuals(study)
    counts, bias = wide.notna().sum(), wide.mean()
    rho = pd.Series({name: _autocorrelation(wide[name]) for name in wide}, dtype=float)
    factor = (1.0 - rho) / (1.0 + rho)
    shifted = {
        name: wide[name].corr(wide[other], min_periods=FEWEST_DAYS)
        for name, other in zip(wide.columns[:-1], wide.columns[1:], strict=True)
    }
    table = pd.DataFrame(
        {
            "days": counts,
            "bias": bias,
            "spread": wide.std(),
            "bias_share": bias**2 / (wide**2).mean(),
            "autocorrelation": rho,
            "effective_days": np.minimum(counts * factor, counts),
            "with_next": pd.Series(shifted, dtype=float).reindex(wide.columns),
        }
    )
    return labelled(table, study)


def residual_correlations(study: Study) -> pd.DataFrame:
    r"""Correlation of the residuals of any two quotes.

    :math:`\sum_t (r_{tk} - b_k)(r_{tl} - b_l)` over the product of both lengths, Pearson's, on the
    days that have both.

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        label and other (the earlier and the later quote of each pair), days with both, and their
        correlation, which needs 20 days
    """
    wide = _residuals(study)
    pairs = list(combinations(wide.columns, 2))
    both = [wide[[*pair]].dropna() for pair in pairs]
    return pd.DataFrame(
        {
            "label": [first for first, _ in pairs],
            "other": [second for _, second in pairs],
            "days": np.array([len(two) for two in both], dtype=int),
            "correlation": np.array(
                [two.iloc[:, 0].corr(two.iloc[:, 1], min_periods=FEWEST_DAYS) for two in both],
                dtype=float,
            ),
        }
    )


def misfit_sentence(study: Study) -> str:
    """How residuals are biased and correlated, and what it means; empty for short histories."""
    table, pairs = misfit(study), residual_correlations(study)
    rho = table["autocorrelation"].median()
    if rho != rho:
        return ""
    low, high = (table.loc[place] for place in (table["bias"].idxmin(), table["bias"].idxmax()))
    text = (
        f"Residuals are biased by quote, from {percent(low['bias'], 2, '+')} at {low['label']} to "
        f"{percent(high['bias'], 2, '+')} at {high['label']}; their median autocorrelation from "
        f"day to day is {number(rho, '.2f')}, so that "
        f"{number(table['days'].median(), ',.0f')} days are worth some "
        f"{number(table['effective_days'].median(), ',.0f')} independent ones."
    )
    return f"{text}{_of_pairs(study, pairs)} {_meaning(study, table, pairs)}"


def noise_sentence(study: Study) -> str:
    """What a day of the study must be told of its noise; empty if it may be independent."""
    table = misfit(study)
    rho = table["autocorrelation"].median()
    if rho != rho or not _is_misfit(study, table, residual_correlations(study)):
        return ""
    worst = table.loc[table["bias"].abs().idxmax()]
    return (
        "The history shows misfit, not independent noise (median autocorrelation "
        f"{number(rho, '.2f')}, bias {percent(worst['bias'], 2, '+')} at {worst['label']}): "
        f"profile intervals at 95 % then cover {SHORTER}."
    )


def _of_pairs(study: Study, pairs: pd.DataFrame) -> str:
    known = pairs.dropna()
    if known.empty:
        return ""
    most = known.loc[known["correlation"].abs().idxmax()]
    text = (
        f" Of {len(known)} pairs of quotes the correlation has a median size of "
        f"{number(known['correlation'].abs().median(), '.2f')} and is largest between "
        f"{most['label']} and {most['other']} ({number(most['correlation'], '+.2f')})"
    )
    left = _left_by_the_fit(study)
    if left != left:
        return f"{text}."
    size = float(np.sqrt((known["correlation"] ** 2).mean()))
    return (
        f"{text}; its root mean square is {number(size, '.2f')}, and {number(left, '.2f')} is left "
        "by the fit itself."
    )


def _left_by_the_fit(study: Study) -> float:
    """Root mean square of the correlations that independent noise has after the fit."""
    m, p = float(study.quotes.groupby("date").size().median()), len(study.specs.names)
    return float(np.sqrt(p / ((m - 1.0) * (m - p)))) if m > p else float("nan")


def _is_misfit(study: Study, table: pd.DataFrame, pairs: pd.DataFrame) -> bool:
    """Whether bias, autocorrelation or correlations are more than independent noise has."""
    errors = table["spread"] / np.sqrt(table["effective_days"])
    size = float(np.sqrt((pairs["correlation"] ** 2).mean()))
    return bool(
        table["autocorrelation"].median() >= NOTABLE
        or (table["bias"].abs() > CLEAR * errors).any()
        or size > max(MORE * _left_by_the_fit(study), NOTABLE)
    )


def _meaning(study: Study, table: pd.DataFrame, pairs: pd.DataFrame) -> str:
    if not _is_misfit(study, table, pairs):
        return "That is compatible with independent noise."
    return (
        "That is misfit, not independent noise: profile intervals at 95 % take it for noise, and "
        f"then cover {SHORTER} (simulated with noise of autocorrelation 0.8 from quote to quote)."
    )


def _residuals(study: Study) -> pd.DataFrame:
    """(days, quotes) relative residuals, quotes in the order of tables."""
    wide = study.quotes.pivot(index="date", columns="label", values="residual")
    return wide.reindex(columns=study.labels["label"].tolist())


def _autocorrelation(values: "pd.Series[float]") -> float:
    """At lag one, of days in a row; NaN for few days, or where nothing moves."""
    centred = values - values.mean()
    both = (centred * centred.shift()).dropna()
    total = float((centred**2).sum())
    if len(both) < FEWEST_DAYS or total == 0.0:
        return float("nan")
    return float(both.sum() / total)
