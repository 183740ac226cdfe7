"""Markets from a known truth: what a calibration should find again.

Every price is the G2++ price of the truth times one plus an independent normal error, which is the
model behind relative least squares. Curves, strikes and dates come from a template, by default a
day of the built-in market. All of it is synthetic, and says so.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import counted
from calibscope.market.calendar import days_after
from calibscope.market.day import MarketDay
from calibscope.market.demo import demo_day
from calibscope.market.market import Market
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.model import G2

FIRST_DATE = "2025-01-02"
USUAL_DAYS = 250  # a year of trading


def simulate_market(
    truth: G2 | Sequence[G2],
    days: int | None = None,
    noise: float = 0.003,
    *,
    template: MarketDay | Market | None = None,
    seed: int = 0,
) -> Market:
    r"""Quotes from a known G2++ truth, with relative noise.

    .. math:: y_k = g_k(p)\,(1 + \varepsilon_k), \qquad \varepsilon_k \sim N(0, noise^2)

    Source: relative noise is what RMSRE takes for granted (paper, section on the equivalence with
    WLS).

    Parameters
    ----------
    truth : one model for all days, or a path with one per day
    days : how many; None means as many as `truth` or `template` has (250 for a single model)
    noise : standard deviation of the relative error (0.003 is 0.3 %); 0 gives exact prices
    template : where curves, schedules, strikes and maturities come from: a day (used for every
        date, with its schedule), or a market of at least `days` days (used in order, dates
        included)
    seed : the same seed gives the same noise

    Returns
    -------
    Market
        a synthetic market, with its truth known

    Examples
    --------
    >>> truth = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    >>> market = simulate_market(truth, days=3, noise=0.0)
    >>> market
    Market(simulated from G2++: synthetic, 3 days, 2025-01-02 to 2025-01-06)
    >>> bool(np.allclose(market.days[2].prices, truth.prices(market.days[2]), rtol=1e-14))
    True
    """
    path = truth if isinstance(truth, G2) else list(truth)
    if not (isinstance(path, G2) or all(isinstance(model, G2) for model in path)):
        raise ValueError("truth holds something that is not a G2; give one, or one a day")
    templates = _templates(template, path, days)
    if isinstance(path, G2):
        path = [path] * len(templates)
    if len(path) != len(templates):
        raise ValueError(
            f"truth has {counted(len(path), 'model')} for {counted(len(templates), 'day')}; "
            "give one a day"
        )
    if not 0 <= noise < 0.2:
        raise ValueError(f"noise is {noise}; give a relative size from 0 to 0.2 (0.003 is 0.3 %)")
    prices = _exact_prices(path, templates)
    errors = np.random.default_rng(seed).standard_normal(prices.shape)
    noisy = prices * np.maximum(1 + noise * errors, np.finfo(float).tiny)
    quotes = np.split(noisy, np.cumsum([len(day.prices) for day in templates])[:-1])
    return Market(
        days=tuple(
            replace(day, prices=quoted, bid_ask=None)
            for day, quoted in zip(templates, quotes, strict=True)
        ),
        name="simulated from G2++",
        is_synthetic=True,
    )


def _exact_prices(path: list[G2], templates: list[MarketDay]) -> Array:
    book = CapBook.from_days(templates)
    return evaluate(np.array([model.values for model in path]), book, order=0).prices


def _templates(
    template: MarketDay | Market | None, path: G2 | list[G2], days: int | None
) -> list[MarketDay]:
    if days is not None and (not isinstance(days, int) or days < 1):
        raise ValueError(f"days is {days!r}; simulate at least one")
    if isinstance(template, Market):
        count = len(template) if days is None else days
        if count > len(template):
            raise ValueError(f"days is {days}; the template has {counted(len(template), 'day')}")
        return list(template.days[:count])
    usual = USUAL_DAYS if isinstance(path, G2) else len(path)
    count = usual if days is None else days
    if template is not None and not isinstance(template, MarketDay):
        raise ValueError(f"template is a {type(template).__name__}; give a MarketDay or a Market")
    day = template or demo_day()
    first = FIRST_DATE if day.date is None or template is None else str(day.date)
    return [replace(day, date=date) for date in days_after(first, count)]
