"""Daily OIS curves: a policy rate that is fact, a 10-year rate tied to facts, a shape around them.

The curve of a day is a smooth function through zero rates at ten maturities. The shortest follow
the overnight rate and what the market expects of the central bank in the next months; the others
are the 10-year rate plus a slowly changing shape, plus random moves of their own. There is no
model of the short rate behind it, Gaussian or other.
"""

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.market.panel import Dates
from calibscope.market.synthetic import waypoints
from calibscope.market.synthetic.anchors import POLICY_RATES, TEN_YEAR_LEVELS
from calibscope.market.synthetic.chance import cached_by_seed, mean_reverting, normals
from calibscope.market.synthetic.timeline import (
    by_regime,
    market_dates,
    pinned,
    places,
    smooth_path,
    straight_path,
)

BP = 1e-4

# 1D, 1W, 2W, 3W; 1M to 11M; 1Y to 3Y by quarters; 4Y to 30Y; 35Y to 50Y.
NODES = frozen(
    np.concatenate(
        (
            np.array([1, 7, 14, 21]) / 365,
            np.arange(1, 12) / 12,
            np.arange(1, 3.25, 0.25),
            np.arange(4.0, 31.0),
            [35.0, 40.0, 45.0, 50.0],
        )
    )
)

# Zero rates at these years carry the curve.
KNOTS = np.array([0, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 50])
SHORT_KNOTS = KNOTS[1:3]
TEN_YEARS = 3  # its place among the knots from 1 year on

# How knots from 1 year on move with the 10-year rate, while rates are negative and later.
MOVES_NEGATIVE = np.array([0.08, 0.22, 0.65, 1, 1.08, 1.05, 1.0])
MOVES_POSITIVE = np.array([0.60, 0.92, 1.08, 1, 0.90, 0.84, 0.80])
# Own moves of short rates, of long rates and of the very long end.
OWN_MOVES = np.array(
    [[0.7, 1, 0.5, 0, -0.05, 0, 0], [0, 0, 0, 0, 0.55, 1, 1], [0, 0, 0, 0, 0, 0, 1]]
)
OWN_SIZES_NEGATIVE = np.array([0.6, 0.9, 0.7])  # bp a day
OWN_SIZES_POSITIVE = np.array([1.8, 1.6, 0.9])

# How well the next months of the policy path are foreseen, at 3 and 6 months.
FORESIGHT = np.array([0.85, 0.45])

# Published zero rates are whole multiples of this before they become discount factors: so the
# last bits of matrix products, which differ between machines, cannot reach the rounding.
QUANTUM = 1e-8


def policy_rates(dates: Dates) -> Array:
    """The deposit facility rate on these dates, decimal: fact."""
    effective = np.array([date for date, _ in POLICY_RATES], "datetime64[D]")
    rates = np.array([percent for _, percent in POLICY_RATES]) / 100
    return np.asarray(rates[np.searchsorted(effective, dates, side="right") - 1])


@cached_by_seed
def ten_year_rates() -> Array:
    """The 10-year zero rate, decimal.

    Straight lines through facts and way-points, plus a random walk that is tied back to zero at
    each of them, scaled year by year until daily changes have the wanted standard deviation.
    """
    facts = [(level.date, level.percent) for level in TEN_YEAR_LEVELS]
    points = sorted([*facts, *waypoints.TEN_YEAR])
    path = straight_path(points) / 100
    place = places([date for date, _ in points])
    shocks = by_regime(1.0, 1.6) * normals("ten-year rate", len(path))
    years = market_dates().astype("datetime64[Y]").astype(int) + 1970
    for _ in range(6):
        walk = pinned(np.cumsum(shocks), place)
        for year, wanted in waypoints.DAILY_STANDARD_DEVIATION.items():
            inside = years[1:] == year
            actual = float(np.std(np.diff(path + walk)[inside]))
            shocks[years == year] *= wanted * BP / actual
    return path + pinned(np.cumsum(shocks), place)


def overnight_rates() -> Array:
    """The overnight rate: the policy rate, a spread, and a few tenths of a basis point."""
    dates = market_dates()
    noise = mean_reverting(0.2 * normals("overnight", len(dates)), 0.5)
    return policy_rates(dates) + BP * (straight_path(waypoints.OVERNIGHT_SPREAD) + noise)


def knot_rates() -> Array:
    """(n, 10) zero rates at the knots."""
    overnight, longer = overnight_rates(), _knots_from_one_year()
    return np.column_stack((overnight, _short_knots(overnight, longer[:, 0]), longer))


def _knots_from_one_year() -> Array:
    """The 10-year rate is as it is; the others lie around it.

    On a day with a known shape they are the 10-year rate plus that shape. Between such days each
    rate has its own smooth way, and follows the 10-year rate's departure from its smooth way more
    or less: hardly at the short end while the policy rate stands still.
    """
    ten_year = ten_year_rates()
    place = places([date for date, _ in waypoints.SHAPE])
    shapes = BP * np.array([row for _, row in waypoints.SHAPE], float)
    shapes = np.insert(shapes, waypoints.SHAPE_YEARS.index(20), 0.0, axis=1)
    trend = smooth_path(place, shapes + ten_year[place, None])
    departure = ten_year - trend[:, TEN_YEARS]
    era = straight_path(waypoints.POSITIVE_ERA)[:, None]
    moves = MOVES_NEGATIVE + era * (MOVES_POSITIVE - MOVES_NEGATIVE)
    sizes = OWN_SIZES_NEGATIVE + era * (OWN_SIZES_POSITIVE - OWN_SIZES_NEGATIVE)
    draws = normals("shape of the curve", len(ten_year), len(OWN_MOVES))
    own = mean_reverting(BP * sizes * by_regime(0.8, 1.4)[:, None] * draws, 1 / 30)
    return np.asarray(trend + moves * departure[:, None] + own @ OWN_MOVES)


def _short_knots(overnight: Array, one_year: Array) -> Array:
    """3 and 6 months: between the policy path that came and a straight way to the 1-year rate."""
    dates = market_dates()
    ahead = dates[:, None] + np.arange(int(0.5 * 365))
    changes = policy_rates(ahead) - policy_rates(dates)[:, None]
    coming = np.column_stack([changes[:, : int(365 * t)].mean(axis=1) for t in SHORT_KNOTS])
    foreseen = overnight[:, None] + coming
    straight = overnight[:, None] + (one_year - overnight)[:, None] * SHORT_KNOTS
    return np.asarray(FORESIGHT * foreseen + (1 - FORESIGHT) * straight)


def zero_rates() -> Array:
    """(n, 55) continuously compounded zero rates at the nodes, whole multiples of the quantum."""
    from scipy.interpolate import CubicSpline

    basis = CubicSpline(np.log1p(KNOTS), np.eye(len(KNOTS)), bc_type="natural")(np.log1p(NODES))
    rates = knot_rates() @ basis.T + BP * _node_noise(len(market_dates()))
    return np.asarray(np.round(rates / QUANTUM) * QUANTUM)


def _node_noise(days: int) -> Array:
    """Tenths of a basis point: some shared by neighbours, some alone, and less for long rates."""
    distance = np.subtract.outer(np.log1p(NODES), np.log1p(NODES))
    neighbours = np.exp(-0.5 * (distance / 0.3) ** 2)
    neighbours /= np.sqrt(np.sum(neighbours**2, axis=0))
    shared = normals("neighbouring nodes", days, len(NODES)) @ neighbours
    alone = normals("single nodes", days, len(NODES)) / (1 + NODES)
    return np.asarray(0.15 * shared + 0.15 * alone)


def discount_factors() -> Array:
    """(n, 55) as published: rounded to ten digits."""
    return np.asarray(np.round(np.exp(-zero_rates() * NODES), 10))
