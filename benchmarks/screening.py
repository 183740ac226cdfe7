"""Does screening find wrong quotes, name the right one, and leave the others alone?

    python benchmarks/screening.py              # everything, a quarter of an hour
    python benchmarks/screening.py --every 5    # errors on each fifth day only

On every day of the built-in market (synthetic), the price of each maturity in turn is moved by 1,
2, 5 and 10 %, up and down, and the day is screened with the true history before it. Counted is how
often that quote is called likely wrong ("named"), and how often any other is ("wrong names"), on
the day or, for one maturity a day, on the day after, when the quote comes back. False alarms are
days on which a quote is accused though nothing was moved. Then several prices are moved together:
the day should be called unusual, or all of them be named, and nobody else.

Set aside: the first 20 days, which are not screened; days on which the market itself has planted
wrong or stale quotes, and the day after each. Calm is the calmer half of the days: those on which
the mean, over 21 days up to the day, of the median (over maturities) absolute change of log vol is
not above its median. Constants were chosen on the odd years of the default seed. The even years
and the other seed were looked at afterwards. At the end stands whether the targets are met there;
the exit code is 1 where one is not.
"""

import argparse
import copy
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, BoolArray
from calibscope.market import demo
from calibscope.market.maturity import label
from calibscope.market.screening.history import FEWEST_DAYS, Expectation, History
from calibscope.market.screening.judge import Code, Judgement, judge
from calibscope.market.screening.similarity import similarity
from calibscope.market.synthetic.chance import SEED

SIZES, SIGNS = (0.01, 0.02, 0.05, 0.10), (1.0, -1.0)
TOGETHER = {"3Y, 4Y": 0.1, "25Y, 30Y": 0.1, "7Y, 8Y, 9Y, 10Y": 0.1, "3Y, 4Y, 5Y, 6Y, 7Y, 8Y": 0.08}
OTHER_SEED = 4242
WINDOW = 21  # days that say how calm it is
CRISIS = "2020-03-18"

# Targets: shares of errors that are named (3Y, every other), and of days.
CALM_2 = (0.60, 0.80)
ALL_5 = 0.85
MOST_WRONG_NAMES, MOST_ALARMS = 0.02, 0.01


@dataclass(frozen=True)
class Counted:
    """Of the n days of a market."""

    named: Array  # (n, sizes, maturities) shares over both signs; NaN where nothing was planted
    misnamed: Array  # the same
    after: Array  # (n, sizes) the same for any quote of the next day; NaN on the last one
    seen: Array  # (n, errors together) called unusual, or all of them named
    blamed: Array  # (n, errors together) one that is right is named
    alarms: BoolArray  # (n,) on the market as it is
    unusual: BoolArray  # (n,) the same


@dataclass(frozen=True)
class Night:
    """A day about to be judged."""

    history: History
    expected: Expectation

    def judged(self, row: Array) -> Judgement:
        """The day with these log vols."""
        expected, every = self.expected, np.arange(len(row))
        return judge(
            row - expected.values,
            expected.covariance + np.diag(expected.doubt),
            self.history.days_seen >= FEWEST_DAYS,
            self.history.excess,
            self.history.groups_of(every),
        )


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
    seen, blamed = np.full((2, n, len(TOGETHER)), np.nan)
    after, (alarms, unusual) = np.full((n, len(SIZES)), np.nan), np.zeros((2, n), bool)
    for t in range(n):
        night = Night(history, history.expect(gaps[t]))
        if len(night.expected.known) == m and t % every == 0:
            spoilt = spoilt_logs(market.days[t])
            named[t], misnamed[t] = alone(night, logs[t], spoilt)
            seen[t], blamed[t] = together(night, market.days[t])
            if t + 1 < n:
                after[t] = accused_after(history, logs[t : t + 2], spoilt, t % m, gaps[t : t + 2])
        found = history.screen(logs[t], gaps[t]).judgement
        alarms[t], unusual[t] = (found.codes == Code.ACCUSED).any(), found.is_unusual
    return Counted(named, misnamed, after, seen, blamed, alarms, unusual)


def alone(night: Night, logs: Array, spoilt: Array) -> tuple[Array, Array]:
    """(sizes, m) how often each quote is named when it is off, and another one."""
    named, misnamed = np.zeros((2, len(SIZES), len(logs)))
    for a, b, k in np.ndindex(spoilt.shape):
        row = logs.copy()
        row[k] = spoilt[a, b, k]
        marks = night.judged(row).codes == Code.ACCUSED
        named[a, k] += marks[k] / len(SIGNS)
        misnamed[a, k] += (marks.sum() > marks[k]) / len(SIGNS)
    return named, misnamed


def together(night: Night, day: cs.MarketDay) -> tuple[Array, Array]:
    """(errors,) how often several that are off are seen, and how often others are named."""
    seen, blamed = np.zeros((2, len(TOGETHER)))
    for number, (labels, size) in enumerate(TOGETHER.items()):
        is_off = np.isin(day.labels, labels.split(", "))
        for sign in SIGNS:
            prices = day.prices * np.where(is_off, 1.0 + sign * size, 1.0)
            found = night.judged(np.log(day.implied_normal_vols(prices)))
            marks = found.codes == Code.ACCUSED
            seen[number] += (found.is_unusual or marks[is_off].all()) / len(SIGNS)
            blamed[number] += marks[~is_off].any() / len(SIGNS)
    return seen, blamed


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


@dataclass(frozen=True)
class Shown:
    """Some days of a market, and what was counted on them."""

    title: str
    names: list[str]  # of the maturities
    found: Counted
    days: BoolArray
    calm: BoolArray
    usable: BoolArray

    def cells(self, counts: Array, among: BoolArray) -> Array:
        """(sizes, m) means over days."""
        return np.asarray(np.nanmean(counts[self.days & among], axis=0))

    def show(self, console: Console) -> None:
        """All tables."""
        found, days = self.found, self.days
        console.print(
            f"[bold]{self.title}[/]: {days.sum()} days, {(days & self.calm).sum()} of them calm; "
            f"false alarms on {found.alarms[days].sum()} ({found.alarms[days].mean():.2%}), "
            f"{found.unusual[days].sum()} called unusual ({found.unusual[days].mean():.2%})"
        )
        everyday = np.ones_like(days)
        for title, counts, among, digits in (
            ("named, calm days", found.named, self.calm, 0),
            ("named, all days", found.named, everyday, 0),
            ("another quote named, all days", found.misnamed, everyday, 1),
        ):
            console.print(by_maturity(title, self.names, self.cells(counts, among), digits))
        days_after = days & np.append(self.usable[1:], False)
        after = np.nanmean(found.after[days_after], axis=0)
        sizes = zip(after, SIZES, strict=True)
        words = ", ".join(f"{share:.2%} ({size:.0%})" for share, size in sizes)
        console.print(f"a quote accused on the day after, by size: {words}")
        seen, blamed = (np.nanmean(part[days], axis=0) for part in (found.seen, found.blamed))
        for (labels, size), share, wrong in zip(TOGETHER.items(), seen, blamed, strict=True):
            console.print(
                f"off together by {size:.0%}, {labels}: seen on {share:.1%}, another "
                f"quote named on {wrong:.1%}"
            )
        console.print()

    def targets(self) -> Iterator[tuple[str, float, float, bool]]:
        """What is wanted: a sentence, the share, its limit, whether it is met."""
        everyday = np.ones_like(self.days)
        calm = self.cells(self.found.named, self.calm)[SIZES.index(0.02)]
        every = self.cells(self.found.named, everyday)[SIZES.index(0.05)]
        wrong = self.cells(self.found.misnamed, everyday)
        low, k = int(calm[1:].argmin()) + 1, int(every.argmin())
        a, b = np.unravel_index(wrong.argmax(), wrong.shape)
        alarms = float(self.found.alarms[self.days].mean())
        unusual = float(self.found.unusual[self.days].mean())
        yield f"calm days, 2 %, {self.names[0]} named", *_least(calm[0], CALM_2[0])
        yield (
            f"calm days, 2 %, worst other ({self.names[low]}) named",
            *_least(calm[low], CALM_2[1]),
        )
        yield f"all days, 5 %, worst ({self.names[k]}) named", *_least(every[k], ALL_5)
        yield (
            f"another named, worst cell ({self.names[int(b)]} off by {SIZES[int(a)]:.0%})",
            *_most(wrong.max(), MOST_WRONG_NAMES),
        )
        yield "days with a false alarm", *_most(alarms, MOST_ALARMS)
        yield "days called unusual", *_most(unusual, MOST_ALARMS)


def _least(share: float, limit: float) -> tuple[float, float, bool]:
    return share, limit, share >= limit


def _most(share: float, limit: float) -> tuple[float, float, bool]:
    return share, limit, share <= limit


def by_maturity(title: str, names: list[str], cells: Array, digits: int) -> Table:
    """One row per size, one column per maturity."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("off by", *names):
        table.add_column(heading, justify="right")
    for size, row in zip(SIZES, cells, strict=True):
        table.add_row(f"{size:.0%}", *(f"{share:.{digits}%}" for share in row))
    return table


def shown(market: cs.Market, seed: int, what: dict[str, BoolArray], every: int) -> list[Shown]:
    """Parts of one market."""
    found, usable, calm = counted(market, every), usable_days(market, seed), calm_days(market)
    names = [label(year) for year in market.maturities]
    return [
        Shown(f"seed {seed}, {name}", names, found, usable & among, calm, usable)
        for name, among in what.items()
    ]


def show_own(console: Console, market: cs.Market, seed: int) -> None:
    """The wrong quotes that the market has of its own."""
    own = cs.screen_quotes(market)
    outliers = demo.planted_outliers(seed)
    hits = sum(
        own.is_accused[market.dates.index(one.date), market.maturities.searchsorted(one.maturity)]
        for one in outliers
    )
    planted = {market.dates.index(one.date) for one in outliers}
    day_after = {day + 1 for day in planted} - planted - {len(market)}
    again = sum(own.is_accused[day].any() for day in day_after)
    console.print(
        f"seed {seed}: of its own wrong quotes (3 to 15 %), {hits} of {len(outliers)} are named; "
        f"on the days after, a quote is accused on {again}"
    )


def show_crisis(console: Console, market: cs.Market) -> None:
    """The error that no single day can show."""
    place = market.dates.index(market.day(CRISIS).date)
    days = list(market.days)
    prices = np.array(days[place].prices)
    prices[0] *= 1.10
    days[place] = replace(days[place], prices=prices)
    found = cs.screen_quotes(replace(market, days=tuple(days)))
    row = found.accused[found.accused["date"] == CRISIS].iloc[0]
    console.print(
        f"3Y of {CRISIS} 10 % too high: {row.label} {row.verdict}, score {row.score:.1f}, "
        f"price {row.price:.6f}, expected {row.expected_price:.6f}, true {prices[0] / 1.1:.6f}\n"
    )


def verdict(console: Console, parts: list[Shown]) -> bool:
    """Print which targets are met; whether all are."""
    table = Table(title="targets", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("days", "what", "share", "wanted", ""):
        table.add_column(heading)
    met = True
    for part in parts:
        for what, share, limit, is_met in part.targets():
            sign = "at most" if limit <= MOST_WRONG_NAMES else "at least"
            table.add_row(part.title, what, f"{share:.1%}", f"{sign} {limit:.0%}",
                          "met" if is_met else "NOT MET")  # fmt: skip
            met &= is_met
    console.print(table)
    return met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=OTHER_SEED, help="of the second market")
    parser.add_argument(
        "--every", type=int, default=1, help="plant on each n-th day alone: quicker"
    )
    options = parser.parse_args()
    console, market = Console(width=130), cs.demo_market()
    market.normal_vols  # noqa: B018 # kept by the market: not part of screening
    start = time.perf_counter()
    cs.screen_quotes(market)
    seconds = time.perf_counter() - start
    console.print(f"screening {len(market)} days: {seconds:.2f} s, implied vols apart\n")

    years = np.array([date.year for date in market.dates])
    what = {"odd years (tuning)": years % 2 == 1, "even years": years % 2 == 0}
    tuned, unseen = shown(market, SEED, what, options.every)
    other = cs.demo_market(seed=options.seed)
    everything = {"all years": np.ones(len(other), bool)}
    (second,) = shown(other, options.seed, everything, options.every)
    for part in (tuned, unseen, second):
        part.show(console)
    show_own(console, market, SEED)
    show_own(console, other, options.seed)
    show_crisis(console, market)
    sys.exit(0 if verdict(console, [unseen, second]) else 1)


if __name__ == "__main__":
    main()
