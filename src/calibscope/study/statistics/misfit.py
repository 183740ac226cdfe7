r"""Systematic misfit: are residuals independent noise, or what the model cannot do?

Profiles and standard errors take the residuals of a day for independent noise. On a history that
can be looked at: with relative residuals :math:`r_{tk}` of quote k on day t,

.. math:: b_k = \bar r_k, \qquad
    \rho_k = \frac{\sum_t (r_{tk} - b_k)(r_{t-1,k} - b_k)}{\sum_t (r_{tk} - b_k)^2}, \qquad
    n_k^* = n_k\,\frac{1 - \rho_k}{1 + \rho_k},

bias, autocorrelation at lag one and how many independent days the history is worth (Bartlett,
1946), and the correlation of a quote's residuals with those of the next one.
"""

import numpy as np
import pandas as pd

from calibscope.base.numbers import number, percent
from calibscope.study.statistics.by_quote import labelled
from calibscope.study.study import Study

FEWEST_DAYS = 20  # that tell a correlation
NOTABLE = 0.3  # a correlation that independent noise does not have, on that many days


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
    wide = study.quotes.pivot(index="date", columns="label", values="residual")
    wide = wide.reindex(columns=study.labels["label"].tolist())
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


def misfit_sentence(study: Study) -> str:
    """Whether the noise is independent, in a sentence or two; empty for short histories."""
    table = misfit(study)
    rho = table["autocorrelation"].median()
    if rho != rho:
        return ""
    worst = table.loc[table["bias"].abs().idxmax()]
    text = (
        f"Residuals have a median autocorrelation of {number(rho, '.2f')} from day to day and of "
        f"{number(table['with_next'].median(), '.2f')} from quote to quote; the largest bias is "
        f"{percent(worst['bias'], 2, '+')} at {worst['label']}."
    )
    if max(rho, table["with_next"].abs().median()) < NOTABLE:
        return f"{text} That is compatible with independent noise."
    return (
        f"{text} That is misfit, not independent noise: intervals that take it for noise are too "
        f"short, and {number(table['days'].median(), ',.0f')} days are worth some "
        f"{number(table['effective_days'].median(), ',.0f')} independent ones."
    )


def _autocorrelation(values: "pd.Series[float]") -> float:
    """At lag one, of days in a row; NaN for few days, or where nothing moves."""
    centred = values - values.mean()
    both = (centred * centred.shift()).dropna()
    total = float((centred**2).sum())
    if len(both) < FEWEST_DAYS or total == 0.0:
        return float("nan")
    return float(both.sum() / total)
