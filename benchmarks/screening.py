"""Does screening find wrong quotes, name the right one, and leave the others alone?

    python benchmarks/screening.py

On every day of the built-in market (synthetic), the price of each maturity in turn is moved by 1,
2, 5 and 10 %, up and down, and the day is screened with the true history before it. Counted is how
often that quote is called likely wrong ("named"), and how often any other is ("wrong names"), on
the day or, for one maturity a day, on the day after, when the quote comes back. False alarms are
days on which a quote is accused though nothing was moved.

Set aside: the first 20 days, which are not screened; days on which the market itself has planted
wrong or stale quotes, and the day after each. Calm is the calmer half of the days: those on which
the mean, over 21 days up to the day, of the median (over maturities) absolute change of log vol is
not above its median. Half-lives and other constants were chosen on the odd years of the default
seed. The even years, and the other seed, were looked at afterwards.
"""

import argparse
import copy
import time
from dataclasses import dataclass, replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, BoolArray
from calibscope.market import demo
from calibscope.market.maturity import label
from calibscope.market.screening.history import FEWEST_DAYS, History
from calibscope.market.screening.judge import Code, judge
from calibscope.market.screening.similarity import similarity
from calibscope.market.synthetic.chance import SEED

SIZES, SIGNS = (0.01, 0.02, 0.05, 0.10), (1.0, -1.0)
OTHER_SEED = 7
WINDOW = 21  # days that say how calm it is
CRISIS = "2020-03-18"


@dataclass(frozen=True)
class Counted:
    """Of the n days of a market."""

    named: Array  # (n, sizes, maturities) shares over both signs; NaN where nothing was planted
    misnamed: Array  # the same
    after: Array  # (n, sizes) the same for any quote of the next day; NaN on the last one
    alarms: BoolArray  # (n,) on the market as it is


def spoilt_logs(day: cs.MarketDay) -> Array:
    """(sizes, signs, m) log vols of prices that are off, each by itself."""
    factors = 1.0 + np.multiply.outer(SIZES, SIGNS)
    return np.log(day.implied_normal_vols(factors[..., None] * day.prices))


def counted(market: cs.Market, every: int) -> Counted:
    """Screen the market day by day, every so many of them with each error planted."""
    logs, (n, m) = np.log(market.normal_vols), market.normal_vols.shape
    dates = np.array(market.dates, "datetime64[D]")
    gaps = np.concatenate(([1], np.busday_count(dates[:-1], dates[1:])))
    history = History(similarity(market.days, market.labels))
    named, misnamed = np.full((2, n, len(SIZES), m), np.nan)
    after, alarms = np.full((n, len(SIZES)), np.nan), np.zeros(n, bool)
    for t in range(n):
        expected = history.expect(gaps[t])
        if len(expected.known) == m and t % every == 0:
            spread = expected.covariance + np.diag(expected.doubt)
            mature = history.days_seen >= FEWEST_DAYS
            spoilt = spoilt_logs(market.days[t])
            named[t] = misnamed[t] = 0.0
            for a, b, k in np.ndindex(spoilt.shape):
                row = logs[t].copy()
                row[k] = spoilt[a, b, k]
                errors = row - expected.values
                marks = judge(errors, spread, mature, history.excess).codes == Code.ACCUSED
                named[t, a, k] += marks[k] / len(SIGNS)
                misnamed[t, a, k] += (marks.sum() > marks[k]) / len(SIGNS)
            if t + 1 < n:
                after[t] = accused_after(history, logs[t : t + 2], spoilt, t % m, gaps[t : t + 2])
        alarms[t] = (history.screen(logs[t], gaps[t]).judgement.codes == Code.ACCUSED).any()
    return Counted(named, misnamed, after, alarms)


def accused_after(history: History, logs: Array, spoilt: Array, k: int, gaps: Array) -> Array:
    """(sizes,) how often a quote is accused on the day after an error that is gone by then."""
    shares = np.zeros(len(SIZES))
    for a, b in np.ndindex(spoilt.shape[:2]):
        later, row = copy.deepcopy(history), logs[0].copy()
        row[k] = spoilt[a, b, k]
        later.screen(row, gaps[0])
        found = later.screen(logs[1], gaps[1]).judgement.codes
        shares[a] += (found == Code.ACCUSED).any() / len(SIGNS)
    return shares


def usable_days(market: cs.Market, seed: int) -> BoolArray:
    """(n,) days without planted quotes of the market's own, today or the day before."""
    planted = set(demo.planted_stale_days(seed))
    planted |= {outlier.date for outlier in demo.planted_outliers(seed)}
    is_planted = np.array([date in planted for date in market.dates])
    after = np.concatenate(([False], is_planted[:-1]))
    return ~is_planted & ~after & (np.arange(len(market)) >= FEWEST_DAYS)


def calm_days(market: cs.Market) -> BoolArray:
    """(n,) the calmer half."""
    changes = np.diff(np.log(market.normal_vols), axis=0, prepend=np.nan)
    changes[0] = changes[1]
    moves = np.median(np.abs(changes), axis=1)
    padded = np.concatenate((np.full(WINDOW - 1, moves[0]), moves))
    means = np.convolve(padded, np.ones(WINDOW) / WINDOW, mode="valid")
    return np.asarray(means <= np.median(means))


def table_of(
    market: cs.Market, found: Counted, days: BoolArray, calm: BoolArray, usable: BoolArray
) -> Table:
    """One row per size."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = ("price off by", "calm: 3Y", "others", "worst", "all: 3Y", "others", "worst",
                "wrong names", "accused the day after")  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="right")
    names = [label(year) for year in market.maturities]
    for a, size in enumerate(SIZES):
        cells = []
        for among in (days & calm, days):
            shares = np.nanmean(found.named[among, a], axis=0)
            worst = 1 + int(shares[1:].argmin())
            cells += [f"{shares[0]:.1%}", f"{shares[1:].mean():.1%}"]
            cells += [f"{shares[worst]:.1%} ({names[worst]})"]
        wrong = np.nanmean(found.misnamed[days, a])
        after = np.nanmean(found.after[days & np.append(usable[1:], False), a])
        table.add_row(f"{size:.0%}", *cells, f"{wrong:.2%}", f"{after:.2%}")
    return table


def show(
    console: Console, market: cs.Market, seed: int, what: dict[str, BoolArray], every: int
) -> None:
    """The tables of one market, for some of its days."""
    found, usable, calm = counted(market, every), usable_days(market, seed), calm_days(market)
    for name, among in what.items():
        chosen = usable & among
        console.print(
            f"{market.name}, {name}: {chosen.sum()} days, {(chosen & calm).sum()} of them calm; "
            f"false alarms on {found.alarms[chosen].sum()} ({found.alarms[chosen].mean():.2%})"
        )
        console.print(table_of(market, found, chosen, calm, usable))
    own = cs.screen_quotes(market)
    outliers = demo.planted_outliers(seed)
    hits = sum(
        own.is_accused[market.dates.index(one.date), market.maturities.searchsorted(one.maturity)]
        for one in outliers
    )
    console.print(f"wrong quotes of the market itself (3 to 15 %): {hits} of {len(outliers)} named")
    planted = {market.dates.index(one.date) for one in outliers}
    day_after = {day + 1 for day in planted} - planted - {len(market)}
    again = sum(own.is_accused[day].any() for day in day_after)
    console.print(f"days after these on which a quote is accused: {again}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=OTHER_SEED, help="of the second market")
    parser.add_argument(
        "--every", type=int, default=1, help="plant on each n-th day alone: quicker"
    )
    parser.add_argument("--odd", action="store_true", help="show the odd years, too")
    options = parser.parse_args()
    console, market = Console(width=120), cs.demo_market()
    market.normal_vols  # noqa: B018 # kept by the market: not part of screening
    start = time.perf_counter()
    cs.screen_quotes(market)
    seconds = time.perf_counter() - start
    console.print(f"screening {len(market)} days: {seconds:.2f} s, implied vols apart\n")

    years = np.array([date.year for date in market.dates])
    what = {"even years": years % 2 == 0}
    if options.odd:
        what["odd years (tuned on these)"] = years % 2 == 1
    show(console, market, SEED, what, options.every)
    other = cs.demo_market(seed=options.seed)
    show(console, other, options.seed, {"all years": np.ones(len(other), bool)}, options.every)

    place = market.dates.index(market.day(CRISIS).date)
    days = list(market.days)
    prices = np.array(days[place].prices)
    prices[0] *= 1.10
    days[place] = replace(days[place], prices=prices)
    found = cs.screen_quotes(replace(market, days=tuple(days)))
    row = found.accused[found.accused["date"] == CRISIS].iloc[0]
    console.print(
        f"3Y of {CRISIS} 10 % too high: {row.label} {row.verdict}, score {row.score:.1f}, "
        f"price {row.price:.6f}, expected {row.expected_price:.6f}, true {prices[0] / 1.1:.6f}"
    )


if __name__ == "__main__":
    main()
