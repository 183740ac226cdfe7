"""Do flags and summary name the wrong quote? One planted per day, and the same days left alone.

``python benchmarks/outliers.py`` takes about ten seconds. On demo days (synthetic), the price of a
random maturity is moved by a given share, up or down. Counted are the days on which that maturity
is named: as an outlier (the flag `has_outlier`, which the summary repeats), or by the summary for
any reason (outlier, influence or leverage). The row "untouched" counts the same maturities on the
same days before they were moved, and "any" how often some maturity is called an outlier there.
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


def named(dx: cs.Diagnosis) -> tuple[set[str], set[str]]:
    """Maturities that a diagnosis names: as an outlier, and in its summary for any reason."""
    labels = [str(name) for name in dx.problem.labels]
    worst = labels[int(np.nan_to_num(np.abs(dx.resid_studentized_external)).argmax())]
    words = set(re.findall(r"\d+Y", dx.summary))
    return ({worst} if dx.flags.has_outlier else set()), words


def moved(day: cs.MarketDay, place: int, share: float) -> cs.MarketDay:
    """The same day with one price off."""
    prices = np.array(day.prices)
    prices[place] *= 1.0 + share
    return replace(day, prices=prices, bid_ask=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--seed", type=int, default=SEED)
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
    headings = ("price off by", "any outlier", "the outlier", "in the summary")
    for heading in (*headings, "3Y", "4Y, 25Y, 30Y", "others"):
        table.add_column(heading, justify="right")
    for size in (0.0, *SIZES):
        spoilt = [
            moved(day, k, sign * size) for day, k, sign in zip(days, places, signs, strict=True)
        ]
        found = [named(dx) for dx in cs.diagnose_many(cs.calibrate_many(spoilt))]
        alarms = np.array([bool(outlier) for outlier, _ in found])
        outliers = np.array([w in outlier for (outlier, _), w in zip(found, wanted, strict=True)])
        summaries = np.array([w in words for (_, words), w in zip(found, wanted, strict=True)])
        table.add_row(
            f"{size:.0%}" if size else "untouched",
            *(f"{hit.mean():.0%}" for hit in (alarms, outliers, outliers | summaries)),
            *(f"{(outliers | summaries)[group].mean():.0%}" for group in groups),
        )
    console = Console(width=100)
    console.print(
        f"{len(days)} demo days (synthetic), the price of one random maturity moved up or down.\n"
        "Share of days on which any maturity, or that one, is called an outlier; on which that one "
        "is named\nby flag or summary; and the latter by maturity."
    )
    console.print(table)


if __name__ == "__main__":
    main()
