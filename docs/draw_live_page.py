"""Draw docs/live.png: the live page, with a quote of the synthetic market moved."""

import shutil
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

import calibscope as cs
from calibscope.report.web.serve import make_server

STATE = "?date=2020-03-18&move=3Y:1"


def main() -> None:
    """Serve the demo study, and photograph the page."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        store = Path(folder) / "study.db"
        cs.run_study(cs.demo_market(), store)
        server, address = make_server(store, "127.0.0.1", 0)
        threading.Thread(target=server.run, daemon=True).start()
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address + STATE)
        page.wait_for_selector("#figures .js-plotly-plot .main-svg")
        page.wait_for_timeout(1500)
        page.screenshot(path=str(Path(__file__).with_name("live.png")))
        browser.close()
        server.close()


if __name__ == "__main__":
    main()
