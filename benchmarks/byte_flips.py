"""Does a changed byte go unnoticed? 500 random ones in the file of a study, one at a time.

``python benchmarks/byte_flips.py`` takes about two minutes. All tables and quotes are read after
each flip: they must be what they were, or an error must name the file. After every fifth the study
is run again: results must be what they were, or the run must say what it has repaired, or why it
cannot. ``--seed`` chooses others.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import calibscope as cs

COUNT, SEED = 500, 1
TABLES = (
    "runs", "days", "superseded", "quotes", "parameters", "intervals", "influence", "optima",
    "challenger_fits", "left_out", "profiles", "failed_refits", "robustness",
)  # fmt: skip
# The last one follows from profiles, which a run that repairs may have been told to leave out.
OTHER_IN_EVERY_RUN = ["run_id", "superseded_by", "seconds", "is_contradicted"]
REPAIRED_EVERY = 5  # flips after which a run tries to repair


def small_market() -> cs.Market:
    """Ten days, two of them with results that were superseded."""
    market = cs.demo_market().between("2017-09-15", "2017-10-05")
    return replace(market, days=market.days[:10], dropped=market.dropped[:2])


def make_study(path: Path) -> cs.Market:
    """A store with rows in most tables, some superseded; returns the market of its last run."""
    market = small_market()
    others = tuple(replace(day, prices=1.01 * day.prices) for day in market.days[:2])
    cs.run_study(replace(market, days=others, dropped=()), path)
    cs.run_study(market, path, profiles="usual")
    return market


def content(path: Path, market: cs.Market) -> dict[str, object]:
    """All that a reader of the store can see."""
    study = cs.open_study(path)
    seen: dict[str, object] = {name: getattr(study, name) for name in TABLES}
    seen["settings"], seen["rag"] = study.settings, study.rag
    seen["quotes of days"] = [study.day(day.date).fingerprint for day in market.days]
    return seen


def same(one: dict[str, object], other: dict[str, object]) -> bool:
    return all(
        value.equals(other[name]) if hasattr(value, "equals") else value == other[name]
        for name, value in one.items()
    )


def flipped(sound: bytes, rng: random.Random) -> bytes:
    """The file with one byte changed, half of the time in one bit only."""
    damaged, place = bytearray(sound), rng.randrange(len(sound))
    damaged[place] ^= 1 << rng.randrange(8) if rng.random() < 0.5 else rng.randrange(1, 256)
    return bytes(damaged)


def read(path: Path, market: cs.Market, wanted: dict[str, object]) -> str:
    """What a reader finds: nothing, an error of the package, another number or a traceback."""
    try:
        found = content(path, market)
    except cs.StoreError:
        return "refused with a message"
    except Exception as error:
        return f"TRACEBACK: {type(error).__name__}: {error}"
    return "no difference" if same(found, wanted) else "SILENT DIFFERENCE"


def run_again(path: Path, market: cs.Market, wanted: dict[str, object]) -> str:
    """What the next run makes of it."""
    try:
        study = cs.run_study(market, path)
        found = content(path, market)
    except cs.StoreError:
        return "run: refused with a message"
    except Exception as error:
        return f"TRACEBACK in a run: {type(error).__name__}: {error}"
    current = (
        "days",
        "quotes",
        "parameters",
        "intervals",
        "influence",
        "optima",
        "challenger_fits",
    )
    for name in current:
        old, new = (
            frames[name].drop(columns=[*OTHER_IN_EVERY_RUN, "day_id"], errors="ignore")
            for frames in (wanted, found)
        )
        if not old.equals(new):
            return f"SILENT DIFFERENCE after a run: {name}"
    lost = len(found["superseded"]) < len(wanted["superseded"])
    if lost and not study.runs["repaired"].iloc[-1]:
        return "SILENT LOSS of superseded days"
    return "run: repaired" if study.runs["repaired"].iloc[-1] else "run: nothing to repair"


def flip_again_and_again(folder: Path, count: int, seed: int = SEED) -> Counter[str]:
    """Count what readers and runs make of so many damaged files."""
    rng, original = random.Random(seed), folder / "study.db"
    market = make_study(original)
    sound, wanted = original.read_bytes(), content(original, market)
    outcomes: Counter[str] = Counter()
    for number in range(count):
        damaged = flipped(sound, rng)
        path = folder / f"flipped-{number}.db"
        path.write_bytes(damaged)
        outcomes[read(path, market, wanted)] += 1
        if number % REPAIRED_EVERY == 0:
            outcomes[run_again(path, market, wanted)] += 1
        for file in folder.glob(f"{path.name}*"):
            file.unlink()
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        outcomes = flip_again_and_again(Path(name), options.count, options.seed)
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:5d}  {outcome}")
    sys.exit(any(outcome.isupper() or outcome[:6].isupper() for outcome in outcomes))


if __name__ == "__main__":
    main()
