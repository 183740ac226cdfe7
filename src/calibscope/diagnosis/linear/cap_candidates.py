"""`cap_candidates`: caps that a day does not quote, for the question what they would be worth."""

import numpy as np

from calibscope.base.arrays import ArrayLike
from calibscope.base.numbers import PERCENT
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.linear.data_worth import CandidateQuotes
from calibscope.market.day import MarketDay
from calibscope.market.maturity import label

PLACEHOLDER = 0.01  # normal vol: a day needs quotes, and only the model's prices are used


def cap_candidates(
    fit: Fit, maturities: ArrayLike, strikes: ArrayLike | None = None
) -> CandidateQuotes:
    """Caps on the curve of a fit, priced by it, with the relative noise of the day's own quotes.

    That is a weight of c/price^2; c is the median of w y^2 over the quotes, all of which have the
    same under weights 1/y^2.

    Source: the weights of the paper's eq. wls_form; candidates as in Pázman (1986).

    Parameters
    ----------
    fit : whose curve and parameters are used
    maturities : (c,) years, on the day's grid; beyond its last date only if the grid is regular
    strikes : (c,) decimal; None means at the money

    Returns
    -------
    CandidateQuotes
        derivatives and weights, for `Diagnosis.data_worth`

    Examples
    --------
    >>> from calibscope.calibration.calibrate import calibrate
    >>> from calibscope.diagnosis.diagnose import diagnose
    >>> from calibscope.market.demo import demo_market
    >>> fit = calibrate(demo_market().day("2020-03-18"))
    >>> worth = diagnose(fit).data_worth(cap_candidates(fit, [1, 2, 11]))
    >>> worth.factors[:, 0].round(2)  # of the variance of a_x
    array([0.08, 0.2 , 1.  ])
    """
    day, point = fit.problem.day, fit.parameters
    times, accruals = day.schedule.times, day.schedule.accruals
    tenor = day.tenor
    is_regular = np.allclose(times, tenor * np.arange(len(times)), rtol=1e-12)
    is_regular = is_regular and np.allclose(accruals, tenor, rtol=1e-12)
    years = np.atleast_1d(np.asarray(maturities, dtype=float))
    asked = MarketDay.from_arrays(
        curve=day.curve,
        maturities=years,
        vols=np.full(len(years), PLACEHOLDER),
        strikes=strikes,
        tenor=tenor,
        times=None if is_regular else times,
        accruals=None if is_regular else accruals,
        kind=day.kind if isinstance(day.kind, str) else "cap",
        notional=day.notional,
        first_caplet=day.has_first_caplet,
        date=day.date,
    )
    ends = (
        [""] * len(years)
        if strikes is None
        else [f" at {PERCENT.text(k, '.4g')}" for k in asked.strikes]
    )
    labels = [f"{label(year)}{end}" for year, end in zip(years, ends, strict=True)]
    level = np.median(fit.problem.weights * day.prices**2)
    return CandidateQuotes(
        np.array(labels), point.jacobian(asked), level / point.prices(asked) ** 2
    )
