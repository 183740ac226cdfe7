"""What can be wrong with quotes of any instruments, before and after they make a day."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import offsets
from calibscope.base.brief import brief
from calibscope.market.curve import CARRIED_ON
from calibscope.market.inputs import choice, is_number, positive_number
from calibscope.market.instruments.cap import Cap, Floor
from calibscope.market.instruments.instrument import Instrument, Quote, QuotedInVols
from calibscope.market.instruments.options import Options
from calibscope.market.quotes import VolType

if TYPE_CHECKING:
    from calibscope.market.day import MarketDay

LARGEST_SHIFT = 0.5


def listed(quotes: object) -> tuple[list[Quote], list[str]]:
    """Quotes as a list, and what of it is none."""
    if isinstance(quotes, str | Mapping) or not isinstance(quotes, Iterable):
        return [], [f"quotes are {brief(quotes)}; give a list of cs.Quote"]
    found = list(quotes)
    if not found:
        return [], ["there are no quotes; give at least one"]
    return found, [
        f"quote {i} is {brief(quote)}; give cs.Quote(instrument, price=...) or vol=..."
        for i, quote in enumerate(found, 1)
        if not isinstance(quote, Quote)
    ]


def quote_problems(quote: Quote) -> list[str]:
    """What is wrong with a quote by itself."""
    instrument = quote.instrument
    problems, number = [], quote.price if quote.vol is None else quote.vol
    what = "price" if quote.vol is None else "vol"
    if not is_number(number) or number <= 0:
        problems.append(f"{what} is {brief(number)}; it must be a positive number")
    pair = quote.bid_ask
    if pair is not None and not (np.shape(pair) == (2,) and all(map(is_number, pair))):
        problems.append(f"bid_ask is {brief(pair)}; give two prices, bid and ask")
    if quote.vol is not None:
        problems += vol_type_problems(quote.vol_type, quote.vol_shift)
        if not isinstance(instrument, Cap | Floor):
            if not isinstance(instrument, QuotedInVols):
                problems.append("this instrument has no vols; give its price")
            elif quote.vol_type != "normal":
                problems.append(f"{quote.vol_type} vols are for caps and floors; give a normal vol")
    problems += _description_problems(instrument)
    return [f"{instrument.label}: {text}" for text in problems]


def _description_problems(instrument: Instrument) -> list[str]:
    """An instrument from outside that is not described as tables and plots need it."""
    problems = []
    if not isinstance(instrument.label, str) or not instrument.label.strip():
        problems.append(f"its label is {brief(instrument.label)}; give a name in words")
    places = instrument.coordinates
    if not isinstance(places, Mapping) or not is_number(places.get("maturity")):
        problems.append('its coordinates have no "maturity"; give it, in years')
    return problems


def vol_type_problems(vol_type: VolType, vol_shift: float) -> list[str]:
    """Vols of an unknown meaning."""
    problems = choice(vol_type, "vol_type", VolType)
    if vol_type == "shifted_lognormal":
        found = positive_number(vol_shift, "vol_shift", "0.03 is three percent")
        if not found and vol_shift > LARGEST_SHIFT:
            found.append(
                f"vol_shift is {vol_shift:g}, which is {100 * vol_shift:g} percent; 0.03 is "
                "three percent"
            )
        problems += found
    elif vol_shift != 0:
        problems.append(f"vol_shift is {vol_shift!r}, but {vol_type} vols have no shift")
    return problems


def options_problems(day: "MarketDay") -> list[str]:
    r"""Instruments, caps and floors apart, whose cash flows the day cannot value.

    An option is worth more than all of its cash flows, :math:`\sum_i c_i P(0, t_i)`, and less than
    those that it may receive, :math:`\sum_i c_i^+ P(0, t_i)`.
    """
    problems = []
    for k, instrument in enumerate(day.others, day.cap_count):
        name = f"{instrument.label}: "
        try:
            options = instrument.options(day)
        except ValueError as error:
            problems.append(f"{name}{error}")
            continue
        if not isinstance(options, Options):
            problems.append(f"{name}its options are {brief(options)}; return Options(...)")
            continue
        last, end = float(options.times.max()), day.curve.last_time
        if last > end + CARRIED_ON:
            problems.append(
                f"{name}its last cash flow is at {last:g} years, but the curve ends at {end:g}; "
                "extend the curve or leave the quote out"
            )
            continue
        flows = options.amounts * day.curve.discount(options.times)
        starts = offsets(options.flow_counts)[:-1]
        most = float(np.add.reduceat(np.maximum(flows, 0.0), starts).sum())
        least = float(np.maximum(np.add.reduceat(flows, starts), 0.0).sum())
        price = float(day.prices[k]) / day.notional
        if price >= most:
            problems.append(
                f"{name}price is {price:g} per notional, but its cash flows are worth {most:g} at "
                "most; is the notional right?"
            )
        if price <= least:
            problems.append(
                f"{name}price is {price:g} per notional, not above its intrinsic value, {least:g}; "
                "correct the price or the strike"
            )
    return problems
