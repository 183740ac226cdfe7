"""What a calibration costs in this checkout and in another one, measured in turns.

``python benchmarks/search_cost.py OTHER`` with the path of another checkout, such as the one that
``git worktree add OTHER d11ce71`` makes. Each turn is a process of its own, on one core, that
calibrates the same days: demo days, and random markets by how far their strikes are from the money.
The table has medians over the turns of the mean processor time a day.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

COUNT, SEED, TURNS = 200, 20_290_000, 5
HERE = Path(__file__).resolve().parents[1]


def seconds_a_day(count: int) -> dict[str, float]:
    """The mean time of a calibration, by group, with whatever calibscope is imported."""
    import calibscope as cs
    from random_cases import GROUPS, random_case

    groups = {"demo": [(day, {}) for day in list(cs.demo_market())[:: 2157 // count]]}
    cases = [random_case(seed) for seed in range(SEED, SEED + 2 * count)]
    for name in GROUPS:
        groups[name] = [(case.day, case.options) for case in cases if case.group == name]
    found = {}
    for name, days in groups.items():
        cs.calibrate(days[0][0], **days[0][1])
        for day, options in days:  # rare kernels are compiled now
            cs.calibrate(day, **options)
        began = time.process_time()
        for day, options in days:
            cs.calibrate(day, **options)
        found[name] = (time.process_time() - began) / len(days)
    return found


def turn(checkout: Path, count: int) -> dict[str, float]:
    """The same in a process of its own, with the package of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--turn", "--count", str(count)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--count", type=int, default=COUNT, help="days of each group, about")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--turn", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.turn:
        print(json.dumps(seconds_a_day(options.count)))
        return
    if options.other is None:
        parser.error("give the path of another checkout")
    found: dict[Path, list[dict[str, float]]] = {options.other.resolve(): [], HERE: []}
    for number in range(options.turns):
        for checkout, times in found.items():
            print(f"turn {number + 1} of {options.turns}: {checkout.name}", file=sys.stderr)
            times.append(turn(checkout, options.count))
    before, after = found.values()
    print(f"{'':16}{'before':>10}{'after':>10}{'ratio':>8}")
    for name in before[0]:
        old, new = (float(np.median([one[name] for one in side])) for side in (before, after))
        print(f"{name:16}{old * 1e3:7.2f} ms{new * 1e3:7.2f} ms{new / old:8.2f}")


if __name__ == "__main__":
    main()
