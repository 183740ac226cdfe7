"""Do flags, summary and verdicts name the wrong quote? One planted per day, and days left alone.

``python benchmarks/outliers.py`` takes some minutes. First, on demo days (synthetic), the price of
a random maturity is moved by a given share, up or down. Counted are the days on which some residual
is larger than chance allows (the flag `has_large_residual`); on which the summary accuses that
maturity, and on which it accuses another one (both by the fits without each quote); and on which
the summary mentions that maturity for any reason (residual, influence or leverage). The row
"untouched" counts the same maturities on the same days before they were moved.

Then the verdicts of `dx.refits.outliers()`, which compare explanations: on markets that a G2++
model and independent noise of 0.3 % make, one price is moved. Counted are the markets on which it
is called an outlier, is among two or three that cannot be told apart, or on which another quote is
called an outlier.
"""

import argparse
import re
from dataclasses import replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.market.maturity import label

DAYS, SEED = 300, 5
SIZES = (0.01, 0.02, 0.05, 0.1)

DATE, NOISE = "2022-07-21", 0.003
TRUTHS = {
    "interior": (0.5, 0.05, 0.012, 0.011, -0.7),
    "near rho = -1": (0.2, 0.1, 0.02, 0.025, -0.9),
    "rho = -1": (0.4, 0.03, 0.011, 0.012, -1.0),
}
CASES = ((0, 0.0), (0, 0.02), (0, 0.05), (0, 0.1), (1, 0.05), (6, 0.05), (12, 0.05))


def named(dx: cs.Diagnosis) -> tuple[set[str], set[str]]:
    """Maturities that a summary accuses, and all that it mentions."""
    accused = re.search(r"((?:one of )?(?:\d+Y(?:, )?)+) is an outlier", dx.summary, re.IGNORECASE)
    return (
        set(re.findall(r"\d+Y", accused[1] if accused else "")),
        set(re.findall(r"\d+Y", dx.summary)),
    )


def moved(day: cs.MarketDay, place: int, share: float) -> cs.MarketDay:
    """The same day with one price off."""
    prices = np.array(day.prices)
    prices[place] *= 1.0 + share
    return replace(day, prices=prices, bid_ask=None)


def verdict_counts(truth: tuple[float, ...], place: int, size: float, count: int) -> list[int]:
    """Of markets with one price off: it is named, among several, another is named."""
    day = cs.demo_market().day(DATE)
    true, rng = cs.G2(*truth).prices(day), np.random.default_rng(SEED)
    named = among = wrong = 0
    for market in range(count):
        prices = true * (1.0 + NOISE * rng.normal(size=len(true)))
        spoilt = moved(replace(day, prices=prices), place, size * (-1.0) ** market)
        verdicts = np.array(cs.diagnose(cs.calibrate(spoilt)).refits.outliers().verdicts)
        is_outlier = verdicts == "outlier"
        named += bool(is_outlier[place])
        among += verdicts[place].startswith("one of")
        wrong += bool(np.delete(is_outlier, place).any())
    return [named, among, wrong]


def verdict_table(count: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("truth", "quote", "price off by", "named", "one of several", "another named"):
        table.add_column(heading, justify="right")
    labels = cs.demo_market().day(DATE).labels
    for name, truth in TRUTHS.items():
        for place, size in CASES:
            found = verdict_counts(truth, place, size, count)
            what = f"{size:.0%}" if size else "untouched"
            table.add_row(name, labels[place], what, *map(str, found))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--markets", type=int, default=30, help="simulated, per row of verdicts")
    options = parser.parse_args()
    market, rng = cs.demo_market(), np.random.default_rng(options.seed)
    days = [market.days[i] for i in np.linspace(0, len(market) - 1, options.days).astype(int)]
    count = len(days[0].prices)
    places = rng.integers(0, count, len(days))
    signs = rng.choice([-1.0, 1.0], len(days))
    wanted = [label(day.maturities[k]) for day, k in zip(days, places, strict=True)]
    is_end = (places == 1) | (places >= count - 2)
    groups = (places == 0, is_end, (places > 0) & ~is_end)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = ("price off by", "a large residual", "it is accused", "another is", "mentioned")
    for heading in (*headings, "3Y", "4Y, 25Y, 30Y", "others"):
        table.add_column(heading, justify="right")
    for size in (0.0, *SIZES):
        spoilt = [
            moved(day, k, sign * size) for day, k, sign in zip(days, places, signs, strict=True)
        ]
        diagnoses = cs.diagnose_many(cs.calibrate_many(spoilt))
        found = [named(dx) for dx in diagnoses]
        accused = np.array([w in who for (who, _), w in zip(found, wanted, strict=True)])
        others = np.array([bool(who - {w}) for (who, _), w in zip(found, wanted, strict=True)])
        words = np.array([w in words for (_, words), w in zip(found, wanted, strict=True)])
        flagged = diagnoses.of_all("has_large_residual")
        table.add_row(
            f"{size:.0%}" if size else "untouched",
            *(f"{hit.mean():.0%}" for hit in (flagged, accused, others, words)),
            *(f"{words[group].mean():.0%}" for group in groups),
        )
    console = Console(width=100)
    console.print(
        f"{len(days)} demo days (synthetic), the price of one random maturity moved up or down.\n"
        "Share of days on which a residual is larger than chance allows; on which the summary "
        "accuses that\nmaturity, or another one; on which it mentions it; and that by maturity."
    )
    console.print(table)
    console.print(f"verdicts of single days: of {options.markets} simulated markets each")
    console.print(verdict_table(options.markets))


if __name__ == "__main__":
    main()
