"""How long a report of the demo study takes to open in Chromium, against one of an earlier commit.

    python benchmarks/report_opening.py                      # runs the demo study first
    python benchmarks/report_opening.py --store study.db     # of a store that the commit can read

Opened means: loaded, with everything that is not closed drawn and painted. Both pages are opened in
turn, each time in a new browser context, and the medians are compared. The last line says how long
the new page takes until its closed parts are open and drawn too.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import calibscope as cs

BEFORE = "12459cd"  # the last commit whose report draws all figures when it is opened
ROUNDS = 7
HERE = Path(__file__).parent
STUDY = "import sys, calibscope as cs; cs.run_study(cs.demo_market(), sys.argv[1])"
REPORT = """
import sys, calibscope as cs
from calibscope.report.html.write_report import write_report
write_report(cs.open_study(sys.argv[1]), sys.argv[2])
"""
EVERYTHING = """
document.querySelectorAll("details").forEach(part => { part.open = true; });
dispatchEvent(new Event("beforeprint"));
"""
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> None:
    """Print sizes, medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", type=Path)
    parser.add_argument("--before", default=BEFORE)
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("There is no Chromium on this machine; apt install chromium")
        return
    with tempfile.TemporaryDirectory() as folder:
        old, new, code = (Path(folder) / name for name in ("old.html", "new.html", "before"))
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", code, given.before], check=True)
        try:
            store = given.store or Path(folder) / "study.db"
            if given.store is None:
                run(code, STUDY, store)
            run(code, REPORT, store, old)
        finally:
            subprocess.run([*git, "remove", "--force", code], check=True)
        cs.write_report(cs.open_study(store), new)
        before, now = opening_times(chromium, old, new)
        for name, path, seconds in (("before", old, before), ("now", new, now)):
            print(
                f"{name}: {path.stat().st_size / 1e6:.1f} MB, opens in "
                f"{statistics.median(seconds):.2f} s (median of {ROUNDS}, "
                f"{min(seconds):.2f} to {max(seconds):.2f})"
            )
        ratio = statistics.median(now) / statistics.median(before)
        print(f"ratio now / before: {ratio:.2f}")
        ((everything,),) = opening_times(chromium, new, rounds=1, then=EVERYTHING)
        print(f"now, with every part open and every figure drawn: {everything:.2f} s")


def run(code: Path, script: str, *arguments: Path) -> None:
    """A script with the package of another commit."""
    environment = {**os.environ, "PYTHONPATH": str(code / "src")}
    subprocess.run([sys.executable, "-c", script, *arguments], env=environment, check=True)


def opening_times(
    chromium: str, *pages: Path, rounds: int = ROUNDS, then: str = "0"
) -> list[list[float]]:
    """Seconds until each page is loaded and painted, in turn, and a script has run."""
    from playwright.sync_api import sync_playwright

    found: list[list[float]] = [[] for _ in pages]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for turn in range(rounds + 1):
            for seconds, path in zip(found, pages, strict=True):
                context = browser.new_context(viewport={"width": 1280, "height": 800})
                page = context.new_page()
                began = time.perf_counter()
                page.goto(path.as_uri(), wait_until="load", timeout=120_000)
                page.evaluate(then)
                page.evaluate(PAINTED)
                if turn:  # the first round reads the files
                    seconds.append(time.perf_counter() - began)
                context.close()
        browser.close()
    return found


if __name__ == "__main__":
    main()
