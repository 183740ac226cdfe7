"""Take the picture of the README: the first screen of the demo's report. Run it when that changes.

Needs Chromium and `calibscope demo`.
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
REPORT = HERE.parent / "calibscope-demo" / "report.html"

if __name__ == "__main__":
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1180, "height": 1310})
        page.goto(REPORT.as_uri())
        page.wait_for_selector(".plot .main-svg")
        page.wait_for_timeout(2000)
        page.screenshot(path=HERE / "report.png")
        browser.close()
