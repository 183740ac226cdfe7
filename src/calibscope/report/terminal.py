"""A priced day as tables for the terminal."""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from calibscope.base.arrays import Array
from calibscope.market.day import MarketDay
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS
from calibscope.report.tables import heading, plain_table

MEANINGS = {
    "a_x": "speed of mean reversion of factor x, per year",
    "a_y": "speed of mean reversion of factor y, per year",
    "sigma_x": "volatility of factor x, per square root of a year",
    "sigma_y": "volatility of factor y, per square root of a year",
    "rho_xy": "correlation of the two factors",
}
CHECKED_PERCENT = 10


def priced_day(day: MarketDay, model: G2, title: str) -> RenderableType:
    """Market and model price of every cap, what moves it, and how far the derivatives carry."""
    prices, jacobian, steps = model.cap_prices(day), model.jacobian(day), _steps(model)
    return Group(
        Text(title, style="bold"),
        heading("Parameters"),
        _parameters(model),
        heading("Prices in bp of notional; change of the model price in % when a parameter rises"),
        _caps(day, prices, jacobian, steps),
        Text("\n" + _reading(day, prices, jacobian, steps)),
        heading(
            f"How far the derivatives carry: speeds and volatilities {CHECKED_PERCENT} % larger"
        ),
        _derivative_check(day, model, prices, jacobian),
    )


def _steps(model: G2) -> Array:
    """A move that users can picture: 1 % of a speed or volatility, 0.01 of the correlation."""
    return np.append(0.01 * model.values[:-1], 0.01)


def _parameters(model: G2) -> Table:
    table = plain_table()
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("meaning")
    for name, value in zip(PARAMETERS, model.values, strict=True):
        table.add_row(name, f"{value:g}", MEANINGS[name])
    return table


def _caps(day: MarketDay, prices: Array, jacobian: Array, steps: Array) -> Table:
    table = plain_table()
    for title in ("cap", "strike\n%", "quote\nbp", "model\nbp", "error\n%"):
        table.add_column(title, justify="right")
    for name in PARAMETERS:
        table.add_column(f"{name}\n{'+0.01' if name == 'rho_xy' else '+1 %'}", justify="right")
    moves = 100 * jacobian * steps / prices[:, None]
    for k, maturity in enumerate(day.maturities):
        table.add_row(
            f"{maturity:g}Y",
            f"{100 * day.strikes[k]:.3f}",
            f"{1e4 * day.prices[k] / day.notional:.1f}",
            f"{1e4 * prices[k] / day.notional:.1f}",
            f"{100 * (prices[k] / day.prices[k] - 1):+.2f}",
            *(f"{move:+.2f}" for move in moves[k]),
        )
    return table


def _reading(day: MarketDay, prices: Array, jacobian: Array, steps: Array) -> str:
    rmsre = np.sqrt(np.mean((prices / day.prices - 1) ** 2))
    moves = 100 * jacobian * steps / prices[:, None]
    directions = moves / np.maximum(np.linalg.norm(moves, axis=0), np.finfo(float).tiny)
    likeness = np.triu(directions.T @ directions, 1)
    p, q = np.unravel_index(np.abs(likeness).argmax(), likeness.shape)
    answer = -float(moves[:, p] @ moves[:, q]) / float(moves[:, q] @ moves[:, q])
    left = np.abs(moves[:, p] + answer * moves[:, q]).max()
    return (
        f"RMSRE (root mean squared relative error) {100 * rmsre:.2f} %. {PARAMETERS[p]} and "
        f"{PARAMETERS[q]} are the hardest to tell apart: {_move(int(p), 1.0)} together with "
        f"{_move(int(q), answer)} changes no price by more than {left:.3f} %, to first order."
    )


def _move(parameter: int, steps: float) -> str:
    name = PARAMETERS[parameter]
    return f"{name} {0.01 * steps:+.4f}" if name == "rho_xy" else f"{name} {steps:+.2f} %"


def _derivative_check(day: MarketDay, model: G2, prices: Array, jacobian: Array) -> Table:
    move = np.append(CHECKED_PERCENT / 100 * model.values[:-1], 0.0)
    moved = G2(*(model.values + move)).cap_prices(day)
    first = prices + jacobian @ move
    second = first + 0.5 * np.einsum("kpq,p,q->k", model.hessian(day), move, move)
    table = plain_table()
    for title in ("cap", "repriced\nbp", "Jacobian is off by\nbp", "with Hessian by\nbp"):
        table.add_column(title, justify="right")
    unit = 1e4 / day.notional
    for k in (0, len(prices) // 2, len(prices) - 1):
        table.add_row(
            f"{day.maturities[k]:g}Y",
            f"{unit * moved[k]:.2f}",
            f"{unit * (first[k] - moved[k]):+.4f}",
            f"{unit * (second[k] - moved[k]):+.4f}",
        )
    return table
