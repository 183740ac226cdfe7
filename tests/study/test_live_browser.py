"""The live page in a real browser: asked by mouse and by keyboard, by one and by five.

Needs Chromium from the system's packages (``apt install chromium``).
"""

import re

import pytest

import calibscope as cs
from calibscope.base.numbers import estimate
from calibscope.models.g2.parameters import PARAMETERS
from calibscope.study.settings import StudySettings
from calibscope.study.what_if import Change, what_if

DRAWN = "#figures .js-plotly-plot .main-svg"
HARMLESS = "willReadFrequently"  # advice of the browser about speed


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, address):
    """Pages of visitors who share nothing, and what their browsers complained about."""
    contexts, complaints = [], []

    def open_page(query="", width=1280):
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda said: complaints.append(said.text) if said.type != "log" else 0)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, "data:", "blob:"))
                else complaints.append(request.url)
            ),
        )
        page.goto(address + query)
        page.wait_for_selector(f"{DRAWN}, .message")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in complaints if HARMLESS not in text] == []


def mover(page, name, kind="number"):
    return page.locator(f"""[id='{{"label":"{name}","type":"{kind}"}}']""")


def move(page, name, size):
    """Write a move into its field, and wait until the address has it."""
    mover(page, name).fill(str(size))
    page.wait_for_url(re.compile(f"{name}:{size}"))


def shown(page):
    """The last column of estimates in the table of parameters."""
    rows = page.locator("#summary tbody tr")
    cells = [rows.nth(k).locator("td").all_inner_texts() for k in range(len(PARAMETERS))]
    header = page.locator("#summary th").all_inner_texts()
    place = header.index("after") if "after" in header else header.index("estimate")
    return [row[place] for row in cells]


def wait_for(page, values):
    """Until these are the estimates."""
    page.wait_for_function(
        "value => document.querySelector('#summary table')?.innerText.includes(value)",
        arg=values[0],
    )
    assert shown(page) == values


def expected(date, change):
    found = what_if(cs.demo_market().day(date), change, StudySettings())
    return [estimate(value) for value in found.after.parameters.values]


def test_a_date_is_picked_a_quote_moved_and_the_link_shared(visit):
    page = visit()
    assert page.locator("#date").input_value() == "2020-03-31"
    page.locator("#date").fill("2020-03-18")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("date=2020-03-18"))
    before = expected("2020-03-18", Change())
    wait_for(page, before)
    move(page, "3Y", 1)
    after = expected("2020-03-18", Change({"3Y": 0.01}))
    assert after != before
    wait_for(page, after)
    assert "The linear prediction was" in page.inner_text("#summary")
    guest = visit(page.url.split("/")[-1])
    assert shown(guest) == shown(page)
    assert mover(guest, "3Y", "slide").input_value() == "1"
    assert guest.inner_text("#summary") == page.inner_text("#summary")


def test_buttons_by_keyboard(visit):
    page = visit("?date=2020-03-18")
    page.get_by_role("button", name="7Y", exact=True).press("Enter")
    page.wait_for_selector("[aria-pressed=false]:has-text('7Y')")
    wait_for(page, expected("2020-03-18", Change(without=("7Y",))))
    page.get_by_role("button", name="Uncertainty").press("Enter")
    page.wait_for_url(re.compile("view=uncertainty"))
    page.get_by_role("button", name="Undo all changes").press("Enter")
    page.wait_for_url(re.compile("date=2020-03-18&view=uncertainty$"))
    page.wait_for_selector("#summary th:has-text('estimate')")
    page.get_by_role("button", name="day after").press("Enter")
    page.wait_for_url(re.compile("date=2020-03-19"))
    page.go_back()
    page.wait_for_function("document.querySelector('#date').value == '2020-03-18'")


def test_a_date_that_is_none_leaves_the_page_as_it_is_and_one_without_data_empties_it(visit):
    page = visit("?date=2020-03-18&move=3Y:1")
    page.locator("#date").fill("soon")
    page.keyboard.press("Enter")
    page.wait_for_selector(".message:has-text('still shows 2020-03-18')")
    after = expected("2020-03-18", Change({"3Y": 0.01}))
    assert shown(page) == after
    page.locator("#date").fill("2020-03-21")
    page.keyboard.press("Enter")
    page.wait_for_selector("#summary .message:has-text('near it: 2020-03-20')")
    page.wait_for_timeout(500)  # nobody asks about quotes that are gone
    assert page.inner_text("#notice") == ""
    assert page.locator("#summary table, .movers, #figures figure, #copy-link").count() == 0
    page.locator("#date").fill("18.03.2020")
    page.keyboard.press("Enter")
    wait_for(page, after)
    assert page.locator(".message").count() == 0


def test_the_effect_stands_beside_the_sliders_above_the_fold(visit):
    page = visit("?date=2020-03-18&move=3Y:1")
    page.set_viewport_size({"width": 1280, "height": 800})
    sliders, table = (page.locator(one).bounding_box() for one in (".movers", "#summary table"))
    assert table["x"] > sliders["x"] + sliders["width"]
    assert table["y"] + table["height"] < 800
    assert page.locator("#other").bounding_box()["y"] < 800
    assert "RAG of the fit" in page.inner_text("#summary table")
    middle = page.evaluate("getComputedStyle(document.querySelector('.slide'), '::before').left")
    assert float(middle.removesuffix("px")) + 1 == pytest.approx(
        page.locator(".slide").first.bounding_box()["width"] / 2, abs=0.6
    )  # where zero is


@pytest.mark.parametrize("is_secure", [True, False])
def test_a_link_is_copied_and_restores_the_state(visit, is_secure):
    """Over plain http from elsewhere, browsers have no navigator.clipboard."""
    page = visit("")
    if not is_secure:
        page.evaluate("() => { Object.defineProperty(window, 'isSecureContext', {value: false}) }")
        page.evaluate("() => { navigator.clipboard.writeText = () => { throw 'not here' } }")
    else:
        page.context.grant_permissions(["clipboard-write"])
    page.locator("#copy-link").press("Enter")
    page.wait_for_selector("#copied[role=status]:has-text('Link copied.')")
    assert page.evaluate("document.activeElement.id") == "copy-link"
    page.locator("#date").fill("")
    page.keyboard.press("Control+V")
    link = page.locator("#date").input_value()
    assert page.inner_text("#copied") == ""  # until the next action
    assert link.endswith("/?date=2020-03-31")
    assert shown(visit(link.split("/")[-1])) == shown(page)


def test_the_time_series_can_be_clicked(visit):
    page = visit("?date=2020-03-18")
    box = page.locator("#history .nsewdrag").bounding_box()
    x, y = box["x"] + 0.2 * box["width"], box["y"] + 0.5 * box["height"]
    page.mouse.move(x + 30, y)
    page.mouse.move(x, y, steps=4)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)
    page.wait_for_url(re.compile("date=2020-03-0"))


def test_five_visitors_at_once_do_not_mix(visit):
    asked = {"3Y": 1, "5Y": -2, "10Y": 3, "20Y": -1, "30Y": 2}
    pages = {name: visit("?date=2020-03-18") for name in asked}
    for _ in range(2):
        for name, page in pages.items():  # none waits for the others
            mover(page, name).fill(str(asked[name]))
        for name, page in pages.items():
            page.wait_for_url(re.compile(f"move={name}:{asked[name]}$"))
        for name, page in pages.items():
            wait_for(page, expected("2020-03-18", Change({name: asked[name] / 100})))
        asked = {name: 2 * size for name, size in asked.items()}


@pytest.mark.parametrize(
    "query",
    [
        "?date=2020-03-18&move=3Y:1&without=7Y",
        "?view=consequences",
        "?date=no",
        "?date=2020-03-18&other=2020-03-11&view=dates",
    ],
)
def test_nothing_serious_for_those_who_read_otherwise(visit, query):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(visit(query)).response["violations"]
    assert [item["id"] for item in found if item["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?move=3Y:1e308", "stay between"),
        ("?solver=<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("?date=1999-01-01", "there is no day 1999-01-01"),
        ("?without=3Y,4Y,5Y,6Y,7Y,8Y,9Y,10Y,12Y,15Y,20Y,25Y,30Y", "no quote would be left"),
    ],
)
def test_a_hostile_link_is_answered_with_a_message(visit, query, words):
    page = visit(query)
    assert words in page.inner_text(".message")
    assert page.locator(".message script").count() == 0


@pytest.mark.parametrize("width", [1920, 1280, 600])
def test_nothing_runs_off_the_live_page(visit, width):
    page = visit("?date=2020-03-18&move=3Y:1", width)
    page.wait_for_timeout(300)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
