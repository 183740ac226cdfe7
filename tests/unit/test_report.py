"""The report of a study: one file, whole, offline, and with the numbers of the store."""

import html
import json
import re

import numpy as np
import pytest

import calibscope as cs
from calibscope.base.numbers import counted, percent
from calibscope.report.document import Document, Figure, section
from calibscope.report.html.write_day import write_day
from calibscope.report.render.html import embedded, page
from calibscope.study.robustness import Variant, keep, robustness

MARKET = cs.demo_market().between("2020-01-02", "2020-04-30")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    store = tmp_path_factory.mktemp("report") / "study.db"
    cs.run_study(MARKET, store, {"governance": {"limits": {"largest_leverage": {"red": 0.999}}}})
    keep(robustness(MARKET, {"no 3Y": Variant(without=(3.0,))}, sample=5), store)
    return cs.open_study(store)


@pytest.fixture(scope="module")
def text(study, tmp_path_factory):
    path = tmp_path_factory.mktemp("html") / "report.html"
    assert cs.write_report(study, path) == path
    assert [found.name for found in path.parent.iterdir()] == ["report.html"]
    return path.read_text(encoding="utf-8")


def without_scripts(text):
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def plain(text):
    """What a reader reads."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", without_scripts(text))).split())


def test_nothing_is_fetched(text):
    assert "default-src 'none'" in text
    shown = without_scripts(text)
    assert not re.search(r"(src|href)=[\"'](?!#)", shown)
    assert "@import" not in shown
    assert "url(" not in shown


def test_every_section_is_in_the_contents_and_carries_the_label(text):
    anchors = re.findall(r'<section id="(\w+)"', text)
    assert anchors == ["summary", "data", "fit", "leverage", "identifiability", "uncertainty",
                       "regimes", "robustness", "appendix"]  # fmt: skip
    assert re.findall(r'<a href="#(\w+)">', text) == anchors
    assert without_scripts(text).count("SYNTHETIC data") == 1 + len(anchors)


def test_every_figure_has_its_data_its_label_and_words(text):
    figures = re.findall(
        r'<script type="application/json" data-for="([\w-]+)">(.*?)</script>', text
    )
    assert len(figures) == 17
    for name, content in figures:
        figure = json.loads(content)
        assert figure["data"], name
        assert "SYNTHETIC" in json.dumps(figure["layout"]), name
        (alt,) = re.findall(rf'id="{name}"[^>]*role="img" aria-label="([^"]+)"', text)
        assert len(alt) > 40, name


def test_numbers_are_those_of_the_store(study, text):
    said = plain(text)
    fitted = study.fitted
    worst = fitted.loc[fitted["rmsre"].idxmax()]
    rated = study.rag[study.days["rmsre"].notna()]
    wanted = [
        f"{len(study.days):,} days from 2020-01-02 to 2020-04-30: {len(fitted):,} have results",
        f"The median RMSRE is {percent(fitted['rmsre'].median())}, the highest",
        f"The worst fit is that of {worst['date'].date()}: RMSRE {percent(worst['rmsre'])}",
        f"largest residual {percent(worst['largest_residual'], 1, '+')} at "
        f"{worst['largest_residual_at']}",
        f"on {percent((fitted['lost_directions'] == 0).mean(), 0)} of the days, and a parameter is "
        f"at a bound on {percent(fitted['has_parameters_at_bound'].mean(), 0)}",
        study.runs["market_hash"].iloc[-1],
        study.runs["settings_hash"].iloc[-1],
        f"calibscope {cs.__version__}",
        *(
            f"{counted(count, 'day is', 'days are')} {rag}"
            for rag, count in rated["rag"].value_counts().items()
        ),
    ]
    leverage = study.quotes.groupby("maturity")["leverage"].median()
    wanted.append(f"{leverage.idxmax():g}Y has the highest leverage (median {leverage.max():.2f}")
    covid = fitted[fitted["date"] == "2020-03-18"].iloc[0]
    wanted += [
        covid["summary"],
        f"{covid['largest_leverage']:.2f} ({covid['largest_leverage_at']})",
    ]
    kept = study.robustness.iloc[1]
    wanted.append(f"no 3Y {100 * kept['rmsre']:.2f} - {100 * kept['moved']:.0f}")
    rng = np.random.default_rng(3)
    for name in rng.choice([flag for flag in fitted if flag.startswith(("has_", "edof_dep"))], 6):
        wanted.append(f"{int(fitted[name].sum()):,} " if fitted[name].any() else " 0 ")
    for look in (
        study.challenger_fits[study.challenger_fits["variant"] == "without"].tail(3).itertuples()
    ):
        wanted.append(f"{look.label} {100 * look.rmsre:.2f}")
    assert len(wanted) >= 20
    for sentence in wanted:
        assert " ".join(sentence.split()) in said, sentence


def test_commands_are_set_as_code():
    made = page(Document("t", "s", (section("a", "A", "Next: `calibscope day` shows <it>."),)))
    assert "<p>Next: <code>calibscope day</code> shows &lt;it&gt;.</p>" in made


def test_every_section_with_figures_says_what_to_do_next(text):
    parts = re.findall(r'<section id="(\w+)".*?>(.*?)</section>', without_scripts(text), re.DOTALL)
    with_figures = [name for name, part in parts if "<figure>" in part]
    said = [name for name, part in parts if "<p>Next: " in part]
    assert with_figures == ["summary", *said]  # the summary lists the days to look at


@pytest.mark.parametrize(
    ("date", "words"),
    [
        ("2020-03-18", ["check 3Y first", "Calibrate without 3Y, which",
                        "range within the near-optimal set"]),
        ("2022-07-21", ["check 30Y first", "give no interval for a_y, sigma_x, sigma_y without",
                        "costs almost nothing", "1,060.3"]),
    ],
)  # fmt: skip
def test_the_page_of_a_day_says_what_to_do_next(tmp_path, date, words):
    market = cs.demo_market()
    path = write_day(cs.calibrate(market.day(date)), tmp_path / "day.html", market.name, True)
    text = path.read_text(encoding="utf-8")
    parts = re.findall(r'<section id="(\w+)".*?>(.*?)</section>', without_scripts(text), re.DOTALL)
    assert [name for name, part in parts if "<p>Next: " in part] == [
        "fit", "leverage", "identifiability", "optima",
    ]  # fmt: skip
    for said in words:
        assert said in plain(text), said


def test_a_note_is_said_once(text):
    figures = re.findall(
        r'aria-label="([^"]+)"></div>\s*(?:<figcaption>(.*?)</figcaption>)?\s*'
        r'<script type="application/json" data-for="[\w-]+">(.*?)</script>',
        text,
        re.DOTALL,
    )
    assert len(figures) == 17
    for alt, caption, content in figures:
        note = json.loads(content)["layout"]["title"]["subtitle"]["text"]
        facts = " ".join(plain(note.split("</b>")[1].replace("<br>", " ")).split())
        said = html.unescape(caption)
        assert said, alt
        assert said in html.unescape(alt)
        assert facts[:30] not in said
        assert "ynthetic" not in said


def test_days_without_results_are_told_apart(study, text):
    ratings, lost = study.rag, study.days["rmsre"].isna()
    red = ratings["rag"] == "red"
    assert lost.any()
    assert not (red & lost).any()
    told = f"{red.sum():,} days are red; {lost.sum():,} more have no results"
    assert told in plain(text)


def test_words_of_a_user_are_text():
    hostile = "</script><script>alert(1)</script><b>"
    figure = Figure(lambda: cs_figure(hostile))
    made = page(Document("t", hostile, (section("a", "A", hostile, figure),)))
    assert "<script>alert" not in made
    assert "<b>" not in without_scripts(made)
    assert "</script" not in embedded(figure.figure.to_json())


def cs_figure(title):
    import plotly.graph_objects as go

    return go.Figure(go.Scatter(x=[1], y=[2]), {"title": {"text": title}})


@pytest.mark.parametrize("count", [0, 1])
def test_short_studies_have_a_report(tmp_path, count):
    market = cs.Market(MARKET.days[:count], name="my caps")
    study = cs.run_study(market, tmp_path / "s.db")
    text = cs.write_report(study, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "SYNTHETIC" not in without_scripts(text)
    assert ("Which maturities decide" in text) == bool(count)


def test_progress_counts_the_sections(study, tmp_path):
    news = []
    cs.write_report(study, tmp_path / "r.html", progress=lambda *done: news.append(done))
    total = news[0][1]
    assert news == [(done, total) for done in range(total + 1)]
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count("<section") == total


@pytest.mark.parametrize("mark", ['name="generator"', 'name="none"'])
def test_an_earlier_report_is_replaced_whole(study, text, tmp_path, mark):
    path = tmp_path / "r.html"
    head = text[:900]
    if mark == 'name="none"':  # as before 0.3
        head = head.replace('<meta name="generator" content="calibscope report">\n', "")
    assert ("calibscope report" in head) == (mark == 'name="generator"')
    path.write_text(head, encoding="utf-8")
    cs.write_report(study, path)
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert [found.name for found in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"old",
        b"<!DOCTYPE html>\n<title>Mine</title>",
        b"date,calibscope report\n",
        b"\xff\x00",
    ],
)
def test_what_is_not_a_report_is_not_overwritten(study, tmp_path, content):
    path = tmp_path / "mine"
    path.write_bytes(content)
    with pytest.raises(cs.ExportError, match="mine: exists and is not a calibscope report, so it"):
        cs.write_report(study, path)
    assert path.read_bytes() == content
    with pytest.raises(cs.ExportError, match="is not a calibscope report"):
        cs.write_report(study, tmp_path)
    assert [found.name for found in tmp_path.iterdir()] == ["mine"]
