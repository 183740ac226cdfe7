"""The report of a study: one file, whole, offline, and with the numbers of the store."""

import json
import re

import numpy as np
import pytest

import calibscope as cs
from calibscope.base.numbers import counted, percent
from calibscope.report.document import Document, Figure, Term, section
from calibscope.report.html.write_day import write_day
from calibscope.report.render.html import embedded, page
from calibscope.study.robustness import Variant, keep, robustness
from calibscope.study.settings import StudySettings
from renderings import read

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


def test_nothing_is_fetched(text):
    assert "default-src 'none'" in text
    shown = without_scripts(text)
    assert not re.search(r"(src|href)=[\"'](?!#)", shown)
    assert "@import" not in shown
    assert "url(" not in shown


COMMITTEE = ["verdict", "assumptions", "fit", "decides", "identified", "history", "limits",
             "sign-off"]  # fmt: skip
APPENDIX = ["review", "data", "fit-over-time", "leverage", "identifiability", "uncertainty",
            "regimes", "refits", "robustness", "reproduce", "glossary"]  # fmt: skip


def test_every_section_is_in_the_contents_and_carries_the_label(text):
    assert re.findall(r'<section id="([\w-]+)"', text) == COMMITTEE
    assert re.findall(r'<details class="part" id="([\w-]+)"', text) == APPENDIX
    contents = re.search("<nav.*?</nav>", text, re.DOTALL).group()
    found = re.findall(r'href="#([\w-]+)"', contents)
    assert found == [*COMMITTEE, "appendix", *APPENDIX]
    # The page, every section of the committee edition, and the appendix.
    assert without_scripts(text).count("SYNTHETIC data") == 1 + len(COMMITTEE) + 1


def test_every_link_leads_somewhere(text):
    shown = without_scripts(text)
    ids = re.findall(r'\bid="([^"]+)"', shown)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', shown)) <= set(ids)


def test_figures_are_numbered_through_and_say_what_is_found(text):
    captions = re.findall(r"<figcaption><strong>Figure (\d+)\.</strong> (.*?)</figcaption>", text)
    assert [int(number) for number, _ in captions] == list(range(1, len(captions) + 1))
    for number, caption in captions:
        assert re.search(r"\d", caption), number
        assert not re.match("(Bars|Violins|Line|Heat map|Calendar|Scatter|Matrix)", caption), number


def test_every_figure_has_its_data_its_label_and_words(text):
    figures = re.findall(
        r'<script type="application/json" data-for="([\w-]+)">(.*?)</script>', text
    )
    assert len(figures) == 13
    for name, content in figures:
        figure = json.loads(content)
        assert figure["data"], name
        assert "SYNTHETIC" in json.dumps(figure["layout"]), name
        (alt,) = re.findall(rf'id="{name}"[^>]*role="img" aria-label="([^"]+)"', text)
        assert len(alt) > 40, name
    drawings = re.findall(r'role="img" aria-label="([^"]+)"><svg(.*?)</svg>', text, re.DOTALL)
    assert len(drawings) == 6
    assert all("SYNTHETIC" in content and len(alt) > 40 for alt, content in drawings)


def test_numbers_are_those_of_the_store(study, text):
    said = read(text)
    fitted = study.fitted
    worst = fitted.loc[fitted["rmsre"].idxmax()]
    last = fitted.iloc[-1]
    rated = study.rag[study.days["rmsre"].notna()]
    assert (fitted["lost_directions"] == 0).all()
    wanted = [
        f"{len(study.days):,} days from 2020-01-02 to 2020-04-30: {len(fitted):,} are calibrated",
        f"The latest day is met to {percent(last['rmsre'])}",
        f"The median RMSRE is {percent(fitted['rmsre'].median())}, the highest "
        f"{percent(worst['rmsre'])} on {worst['date'].date()}",
        f"The worst fit is that of {worst['date'].date()}: RMSRE {percent(worst['rmsre'])}",
        f"largest residual {percent(worst['largest_residual'], 1, '+')} at "
        f"{worst['largest_residual_at']}",
        f"The quotes determine all 5 parameters on all {len(fitted)} days, and a parameter is at "
        f"a bound on {percent(fitted['has_parameters_at_bound'].mean(), 0)}",
        study.runs["market_hash"].iloc[-1],
        study.runs["effective_hash"].iloc[-1],
        f"calibscope {cs.__version__}",
        *(
            f"{counted(count, 'day is', 'days are')} {rag}"
            for rag, count in rated["rag"].value_counts().items()
        ),
    ]
    leverage = study.quotes.groupby("maturity")["leverage"].median()
    wanted.append(f"{leverage.idxmax():g}Y has the highest leverage (median {leverage.max():.2f}")
    for quote in study.quotes[study.quotes["date"] == last["date"]].itertuples():
        wanted.append(f"{1e4 * quote.market_price:,.1f} {1e4 * quote.model_price:,.1f}")
    for name, value in study.estimates.iloc[-1].items():
        wanted.append(f"{study.specs[name].label} {value:.5g}")
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
    assert len(wanted) >= 30
    for sentence in wanted:
        assert " ".join(sentence.split()) in said, sentence


def test_every_red_and_amber_day_is_listed_and_the_latest_lead_to_their_panels(study, text):
    review = re.search(r'<details class="part" id="review".*?(?=<details class="part")', text,
                       re.DOTALL).group()  # fmt: skip
    ratings = study.rag.set_index("date")
    for rag in ("red", "amber"):
        own = ratings[ratings["rag"] == rag]
        assert len(own)
        for date, reasons in own["reasons"].items():
            assert f"{date.date()}" in review
            assert reasons.split(";")[0][:30] in read(review), date
        last = own.index[-1].date()
        assert text.count(f'href="#day-{last}"') >= 2  # in the history, and in the list
        assert text.count(f'<details id="day-{last}">') == 1


def test_one_page_has_one_number_of_red_days(study, text):
    red = int((study.rag["rag"] == "red").sum())
    said = read(text)
    assert set(re.findall(r"(\d+) days? (?:is|are) red", said)) == {str(red)}
    assert f"2020 {len(study.fitted)} " in said  # the row of the year
    assert set(re.findall(rf"2020 {len(study.fitted)} \d+ \d+ (\d+) ", said)) == {str(red)}


def test_commands_are_set_as_code():
    made = page(Document("t", "s", (section("a", "A", "Next: `calibscope day` shows <it>."),)))
    assert "<p>Next: <code>calibscope day</code> shows &lt;it&gt;.</p>" in made


def test_sections_of_the_appendix_with_figures_say_what_to_do_next(text):
    parts = re.findall(
        r'<details class="part" id="([\w-]+)".*?>(.*?)(?=<details class="part"|</main>)',
        without_scripts(text), re.DOTALL,
    )  # fmt: skip
    with_figures = [name for name, part in parts if "<figure>" in part]
    said = [name for name, part in parts if "<p>Next: " in part]
    assert with_figures == ["fit-over-time", "leverage", "identifiability", "uncertainty",
                            "regimes"]  # fmt: skip
    assert set(with_figures) <= set(said)


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
        assert said in read(text), said


def test_a_note_is_said_once(text):
    figures = re.findall(
        r"<figcaption><strong>Figure \d+\.</strong> (.*?)</figcaption>\s*"
        r'<script type="application/json" data-for="[\w-]+">(.*?)</script>',
        text,
        re.DOTALL,
    )
    assert len(figures) == 13
    for _, content in figures:  # below the title is whose data it is, in the caption what it says
        assert json.loads(content)["layout"]["title"]["subtitle"]["text"] == (
            "<b>SYNTHETIC market.</b>"
        )


def test_days_without_results_are_told_apart(study, text):
    ratings, lost = study.rag, study.days["rmsre"].isna()
    red = ratings["rag"] == "red"
    assert lost.any()
    assert not (red & lost).any()
    told = f"{red.sum():,} days are red; {lost.sum():,} more have no results"
    assert told in read(text)


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


@pytest.mark.parametrize("count", [0, 1, 3])
def test_small_studies_are_told_day_by_day(tmp_path, count):
    market = cs.Market(MARKET.days[:count], name="my caps")
    study = cs.run_study(market, tmp_path / "s.db")
    text = cs.write_report(study, tmp_path / "r.html").read_text(encoding="utf-8")
    shown = without_scripts(text)
    assert "SYNTHETIC" not in shown
    assert 'class="plot"' not in text  # no violins, components, bands or axes without ticks
    assert 'id="plotly"' not in text
    shown, _, _ = shown.partition('id="reproduce"')  # the settings name all reference dates
    for word in ("COVID", "ECB", "quietest", "1 days", "median)"):
        assert word not in shown, word
    assert shown.count('<details id="day-') == count
    assert shown.count("<svg") == (3 if count else 0)
    if count == 3:
        assert shown.count(f'href="#day-{study.days["date"].iloc[0].date()}"') >= 2


def test_reference_dates_come_from_the_settings(tmp_path):
    market = cs.Market(MARKET.days[:3], name="my caps")
    date = MARKET.days[1].date
    settings = {"report": {"reference_dates": {str(date): "our merger", "2019-01-01": "elsewhen"}}}
    study = cs.run_study(market, tmp_path / "s.db", settings)
    assert study.settings.results_hash == StudySettings().results_hash
    text = read(cs.write_report(study, tmp_path / "r.html").read_text(encoding="utf-8"))
    assert f"{date} our merger" in text
    assert "elsewhen" not in re.sub("report.reference_dates.*?}", "", text)


def test_who_set_a_threshold_and_when_is_beside_it(tmp_path):
    market = cs.Market(MARKET.days[:2], name="my caps")
    cs.run_study(market, tmp_path / "s.db")
    stricter = {"limits": {"rmsre": {"amber": 0.01}}, "amber": ["has_outlier"], "warnings": False}
    study = cs.run_study(market, tmp_path / "s.db", {"governance": stricter})
    said = read(cs.write_report(study, tmp_path / "r.html").read_text(encoding="utf-8"))
    change = study.threshold_changes.iloc[0]
    day = f"{change['changed']:%Y-%m-%d}"
    assert f"RMSRE 1 % 5 % {change['who']} (was 2 %) {day}" in said
    assert (
        f"a quote is an outlier any {change['who']} (was a quote is an outlier, implausible "
        f"parameters) {day}"
    ) in said
    assert f"warnings on the data off off {change['who']} (was on) {day}" in said
    assert f"pricing error of a quote 5 % 10 % default of calibscope {cs.__version__}" in said


def test_words_are_explained_where_they_first_appear():
    explained = (Term("term-edof", "EDoF", "how many"),)
    made = page(Document("t", "s", (section("a", "A", "EDoF is 5.", "EDoF is 4."),),
                         terms=explained))  # fmt: skip
    assert made.count('<a class="term" href="#term-edof" title="how many">EDoF</a>') == 1
    assert made.index('href="#term-edof"') < made.index("is 5.")


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
