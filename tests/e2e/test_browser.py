"""The report in a real browser, with the network off: drawn, quiet, and readable by everyone.

Needs Chromium from the system's packages (``apt install chromium``).
"""

import re

import pytest

import calibscope as cs
from calibscope.report.html.write_day import write_day
from calibscope.report.refits.answers import refit_answers

SOFTWARE_RENDERING = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HARMLESS = "willReadFrequently"  # advice of the browser about speed


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report of two months, and the page of one of its days, fitted again."""
    folder = tmp_path_factory.mktemp("browser")
    market = cs.demo_market().between("2020-02-03", "2020-03-31")
    study = cs.run_study(market, folder / "study.db")
    cs.write_report(study, folder / "report.html")
    fit = cs.calibrate(market.day("2020-03-18"))
    exact = refit_answers(cs.diagnose(fit))
    write_day(fit, folder / "day.html", market.name, market.is_synthetic, refits=exact)
    return {"report": folder / "report.html", "day": folder / "day.html"}


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=SOFTWARE_RENDERING)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, pages):
    """A page that was opened offline, with what it complained about and asked for."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)

    def open_page(name):
        page, complaints, requests = context.new_page(), [], []
        page.on("console", lambda said: complaints.append(said.text) if said.type != "log" else 0)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(pages[name].as_uri())
        return page, complaints, requests

    yield open_page
    context.close()


def draw_everything(page):
    """Open what is closed, and have all figures drawn, as before printing."""
    page.evaluate(
        "document.querySelectorAll('details').forEach(part => { part.open = true; });"
        "dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))"
    )
    page.wait_for_function(
        "[...document.querySelectorAll('.plot')].every(e => e.querySelector('.main-svg'))"
    )


@pytest.mark.parametrize(("name", "figures"), [("report", 13), ("day", 11)])
def test_every_figure_is_drawn_without_a_word_or_a_request(opened, name, figures):
    page, complaints, requests = opened(name)
    draw_everything(page)
    assert page.locator(".plot").count() == figures
    assert page.locator(".plot:has(.main-svg)").count() == figures
    assert [text for text in complaints if HARMLESS not in text] == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize("width", [1280, 800, 500])
@pytest.mark.parametrize("name", ["report", "day"])
def test_nothing_runs_off_the_page(opened, name, width):
    page, _, _ = opened(name)
    draw_everything(page)
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(500)  # figures follow the page
    assert page.evaluate("document.documentElement.scrollWidth") == width
    words = page.evaluate(
        "[...document.querySelectorAll('.gtitle, .gtitle-subtitle')]"
        ".filter(e => e.getBoundingClientRect().right"
        "  > e.closest('.plot').getBoundingClientRect().right).map(e => e.textContent)"
    )
    assert words == []


@pytest.mark.parametrize("name", ["report", "day"])
def test_no_serious_barrier(opened, name):
    from axe_playwright_python.sync_playwright import Axe

    page, _, _ = opened(name)
    draw_everything(page)
    found = Axe().run(page).response["violations"]
    serious = [
        (item["id"], item["help"], item["nodes"][0]["html"][:200])
        for item in found
        if item["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_the_contents_lead_by_keyboard(opened):
    page, _, _ = opened("report")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#verdict")


def test_a_figure_is_drawn_when_its_part_is_opened(opened):
    page, _, _ = opened("report")
    assert page.evaluate("typeof Plotly") == "undefined"
    page.locator('nav a[href="#leverage"]').click()
    page.wait_for_selector("#leverage .plot .main-svg")
    assert page.locator("#regimes .plot .main-svg").count() == 0


def test_the_committee_edition_is_five_pages_and_stands_alone(opened, tmp_path):
    page, _, _ = opened("report")
    paper = tmp_path / "report.pdf"
    page.pdf(path=paper, prefer_css_page_size=True)
    printed = paper.read_bytes()
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 5
    assert page.evaluate("typeof Plotly") == "undefined"
