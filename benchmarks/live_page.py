"""The live page in Chromium: from the move of a slider to redrawn figures, for one and for five.

The peer, in the same run: a script that recalibrates and draws the same two figures as a new page
of HTML, as one would without a live page.
"""

import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path

import calibscope as cs
from calibscope.report.html.write_day import write_day
from calibscope.report.web.serve import make_server

MOVES = 50
USERS = 5
DAY = "2020-03-18"
DRAWN = "#figures .js-plotly-plot .main-svg"
# Moves the slider of 3Y, and answers with the milliseconds until every figure was drawn again.
MOVE = """
async (value) => {
  const slider = document.querySelector('.movers input[type=range]');
  const plots = [...document.querySelectorAll('#figures .js-plotly-plot')];
  const began = performance.now();
  const drawn = Promise.all(plots.map(plot => new Promise(done => plot.once(
    'plotly_afterplot', () => requestAnimationFrame(() => done(performance.now()))))));
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(slider, value);
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  return Math.max(...await drawn) - began;
}
"""


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("There is no Chromium on this machine; apt install chromium")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        store = Path(folder) / "study.db"
        cs.run_study(cs.demo_market(), store)
        server, address = make_server(store, "127.0.0.1", 0)
        threading.Thread(target=server.run, daemon=True).start()
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pages = [opened(browser, address) for _ in range(USERS)]
        sizes = [((0.75 * (k + 1)) % 10) - 5 for k in range(MOVES)]
        alone = [pages[0].evaluate(MOVE, str(size)) for size in sizes]
        print(
            f"Live page, {MOVES} moves of 3Y, from input to figures: median "
            f"{statistics.median(alone):.0f} ms, longest {max(alone):.0f} ms"
        )
        began = time.perf_counter()
        for k, size in enumerate(sizes[:10]):
            for user, page in enumerate(pages):
                page.evaluate(
                    "([value, place]) => { const slider = document.querySelectorAll("
                    "'.movers input[type=range]')[place]; Object.getOwnPropertyDescriptor("
                    "HTMLInputElement.prototype, 'value').set.call(slider, value); "
                    "slider.dispatchEvent(new Event('input', {bubbles: true})); }",
                    [str(size), user],
                )
            for user, page in enumerate(pages):
                name = f"{'34567'[user]}Y"
                page.wait_for_url(lambda url, n=name, s=size: f"{n}:{s:g}" in url)
            assert not any(page.locator(".message").count() for page in pages), k
        each = (time.perf_counter() - began) / 10 / USERS
        print(f"{USERS} users at once, 10 moves each: {1e3 * each:.0f} ms an answer, no error")
        fit = cs.calibrate(cs.demo_market().day(DAY))
        began = time.perf_counter()
        write_day(fit, Path(folder) / "day.html", "demo", is_synthetic=True)
        page = browser.new_page()
        page.goto((Path(folder) / "day.html").as_uri())
        page.locator(".plot").first.scroll_into_view_if_needed()  # figures are drawn in view
        page.wait_for_selector(".plot .main-svg")
        peer = time.perf_counter() - began
        ratio = 1e3 * peer / statistics.median(alone)
        print(f"Peer: the page of a day written anew and opened takes {ratio:.0f} times as long")
        browser.close()
        server.close()


def opened(browser, address):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{address}?date={DAY}")
    page.wait_for_selector(DRAWN)
    page.wait_for_timeout(500)
    return page


if __name__ == "__main__":
    main()
