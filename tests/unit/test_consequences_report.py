"""Consequences as a picture and as a table: their data are the numbers, marks travel with them."""

from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import calibscope as cs
from calibscope.report.figures.consequences import consequences
from calibscope.report.render.terminal import shown
from calibscope.report.sections.consequences import consequence_table, followed

INSTRUMENTS = (cs.Cap(11), cs.BondOption(5, 15, kind="put"))


@pytest.fixture(scope="module")
def found():
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2024-06-06")), mode="strict")
    near = dx.problem.values * np.exp(0.01 * np.random.default_rng(1).standard_normal((50, 5)))
    near[:, 4] = -1.0
    return dx.consequences((1, 10), INSTRUMENTS, replicates=near)


def trace(figure, name):
    (only,) = [each for each in figure.data if each.name == name]
    return only


def printed(*blocks, width=120):
    console = Console(width=width, record=True, force_terminal=False)
    with console.capture() as text:
        console.print(shown(*blocks))
    return text.get()


def test_the_picture_shows_the_numbers_in_their_units(found):
    figure = consequences(found, "2024-06-06.", is_synthetic=True)
    q = found.labels.index("P(r(10Y) < 0)")
    assert trace(figure, "P(r(10Y) < 0)").x == pytest.approx([100 * found.estimates[q]])
    near_optimal = trace(figure, "P(r(10Y) < 0), near-optimal set")
    assert near_optimal.x == pytest.approx(
        [100 * found.near_optimal_low[q], 100 * found.near_optimal_high[q]]
    )
    bootstrap = trace(figure, "P(r(10Y) < 0), bootstrap")
    assert bootstrap.x == pytest.approx(
        [100 * found.bootstrap_low[q], 100 * found.bootstrap_high[q]]
    )
    cap = trace(figure, "cap 11Y ATM, near-optimal set")
    q = found.labels.index("cap 11Y ATM")
    assert cap.x == pytest.approx(
        [
            100 * (end[q] / found.estimates[q] - 1)
            for end in (found.near_optimal_low, found.near_optimal_high)
        ]
    )
    titles = [axis.title.text for axis in figure.select_xaxes()]
    assert titles == [
        "standard deviation, bp", "probability, %", "difference of rates, bp",
        "price, % above the estimate",
    ]  # fmt: skip


def test_the_picture_carries_marks_and_words(found):
    figure = consequences(found, "2024-06-06.", is_synthetic=True)
    labels = [text for axis in figure.select_yaxes() for text in axis.ticktext]
    doubtful = ~found.is_identified | found.is_collapsed
    assert sum("<i>" in text for text in labels) == doubtful.sum() > 0
    delta = trace(figure, "sd of r(1Y), delta (not identified, rho_xy held at the bound)")
    assert delta.line.color == "#B0B0B0"
    assert figure.layout.title.text.endswith("?")
    assert "SYNTHETIC" in figure.layout.title.subtitle.text
    words = figure.layout.title.subtitle.text.replace("<br>", " ")
    assert "rho_xy held at the bound" in words
    alt = figure.layout.meta["alt"]
    assert alt.startswith("Synthetic market. Estimates with their ranges: sd of r(1Y) ")
    assert alt.endswith(".")
    assert "nan" not in alt


def test_a_delta_interval_far_beyond_the_bars_ends_in_an_arrow(found):
    far = replace(found, high=np.where(np.arange(len(found.high)) == 0, 5.0, found.high))
    figure = consequences(far)
    assert trace(figure, "sd of r(1Y), beyond").marker.symbol == "triangle-right"
    assert figure.layout.xaxis.range[1] < 5e4
    assert trace(figure, "sd of r(1Y), beyond").x[0] == figure.layout.xaxis.range[1]


def test_delta_intervals_alone_fill_the_picture(found):
    nothing = np.full_like(found.low, np.nan)
    alone = replace(
        found, bootstrap_low=nothing, bootstrap_high=nothing, points=found.points[:0],
        point_values=found.point_values[:0],
    )  # fmt: skip
    figure = consequences(alone)
    assert not [each for each in figure.data if each.name.endswith("beyond")]
    assert not [each for each in figure.data if "near_optimal" in each.name or "fits" in each.name]


def test_the_table_has_every_range_in_its_unit(found):
    text = printed(consequence_table(found))
    q = found.labels.index("P(r(10Y) < 0)")
    row = next(line for line in text.splitlines() if line.startswith("P(r(10Y) < 0)"))
    assert f"{100 * found.estimates[q]:.3g} %" in row
    assert f"{100 * found.near_optimal_low[q]:.3g} to {100 * found.near_optimal_high[q]:.3g}" in row
    assert "bootstrap" in text
    row = next(line for line in text.splitlines() if line.startswith("sd of r(1Y)"))
    assert row.rstrip().endswith("not identified")
    assert "held at the bound" not in text


def test_the_page_says_once_what_all_rows_share(found):
    text = " ".join(printed(*followed(found)).split())
    assert text.count("rho_xy held at the bound") == 1
    assert "Delta intervals: rho_xy held at the bound." in text
    assert " ".join(found.summary.split()) in text
    assert "not a confidence interval" in text
