"""Metrics that calibscope has never heard of, in store, export, JSON and RAG, without an edit."""

import importlib
import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from outside_metrics import COVARIANCE_RATIO, MEAN_LEVERAGE
from rich.console import Console

import calibscope as cs
from calibscope.base.entry_points import announced
from calibscope.cli import main
from calibscope.report.html.write_day import write_day
from calibscope.report.machine_readable import day_as_data
from calibscope.report.render.as_data import as_data
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.day import day_document
from calibscope.report.sections.study_blocks import rule_table
from calibscope.study import metric as registry
from calibscope.study.formula import version_of
from calibscope.study.metrics import DAY_METRICS, METRICS
from calibscope.study.settings import StudySettings

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module", autouse=True)
def registered():
    for metric in (COVARIANCE_RATIO, MEAN_LEVERAGE):
        cs.register_metric(metric)
    yield
    registry._REGISTERED.clear()


@pytest.fixture(scope="module")
def market():
    return cs.demo_market().between("2020-03-10", "2020-03-20")


@pytest.fixture(scope="module")
def study(market, tmp_path_factory):
    return cs.run_study(market, tmp_path_factory.mktemp("study") / "study.db")


def test_it_is_in_the_store(study, market):
    rows = study.metrics
    assert set(rows["metric"]) == {"covariance_ratio", "mean_leverage"}
    for day in market:
        dx = cs.diagnose(cs.calibrate(day))
        own = rows[rows["date"] == str(day.date)].set_index(["metric", "label"])["value"]
        assert own["mean_leverage"].iloc[0] == pytest.approx(dx.leverage.mean(), rel=1e-9)
        m, p = len(day.prices), dx.edof
        wanted = ((m - p - dx.resid_studentized_internal**2) / (m - p - 1)) ** p / (1 - dx.leverage)
        found = own["covariance_ratio"][list(day.labels)]
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_it_decides_the_rag_status(study):
    reasons = study.rag.set_index("date")["reasons"]
    values = study.metrics.pivot_table("value", "date", "metric", "max")
    for date, value in values["covariance_ratio"].items():
        assert ("generalised variance would be" in reasons[date]) == (value >= 1e3)
    for date, value in values["mean_leverage"].items():
        assert (f"mean_leverage {value:.3g}" in reasons[date]) == (value >= 0.384)
    assert 0 < reasons.str.contains("without 3Y the generalised variance").sum() < len(reasons)
    loose = {"governance": {"limits": {"covariance_ratio": False, "mean_leverage": {"amber": 9}}}}
    settings = StudySettings.model_validate(loose)
    assert settings.governance.limits["covariance_ratio"].amber is None
    with pytest.raises(cs.SettingsError, match=r"did you mean|choose from"):
        cs.run_study(cs.Market([]), "x.db", {"governance": {"limits": {"mean_levrage": False}}})


def test_it_is_exported(study, tmp_path):
    cs.export(study, tmp_path / "tables", format="parquet")
    frame = pd.read_parquet(tmp_path / "tables" / "metrics.parquet")
    assert len(frame) == len(study.metrics) == 9 * (13 + 1)
    assert set(frame["unit"]) == {"1"}
    columns = pd.read_parquet(tmp_path / "tables" / "columns.parquet")
    mine = columns[columns["table"] == "metrics"].set_index("column")
    assert mine.loc["covariance_ratio", ["unit", "kind", "meaning"]].tolist() == [
        "1", "number", COVARIANCE_RATIO.text
    ]  # fmt: skip


def test_it_is_described_where_its_package_is_not_installed(study, tmp_path, monkeypatch):
    """In exports, and in the rules of the report."""
    monkeypatch.setattr(registry, "_REGISTERED", {})
    again = cs.open_study(study.path)
    cs.export(again, tmp_path / "tables", format="csv")
    assert MEAN_LEVERAGE.text in (tmp_path / "tables" / "columns.csv").read_text("utf-8")
    rows = {row[-1]: row for row in rule_table(again).rows}
    assert rows[MEAN_LEVERAGE.text][3] == "0.384"
    above = study.metrics[study.metrics["metric"] == "mean_leverage"]["value"] >= 0.384
    assert rows[MEAN_LEVERAGE.text][0] == above.sum() > 0
    assert rows[COVARIANCE_RATIO.text][3:5] == ("1000", "100000")


def test_it_is_in_the_json_of_a_day(market):
    data = day_as_data(cs.calibrate(market.day("2020-03-18")))["metrics"]
    assert len(data["quote"]["covariance_ratio"]) == 13
    assert 0.3 < data["day"]["mean_leverage"] < 0.5
    assert set(data["day"]) == {one.name for one in (*DAY_METRICS, MEAN_LEVERAGE)}
    json.dumps(data)


def test_it_is_on_the_page_of_a_day(market, tmp_path):
    document = day_document(cs.calibrate(market.day("2020-03-18")), "a market")
    console = Console(file=io.StringIO(), width=100)
    console.print(on_terminal(document))
    text = console.file.getvalue()
    assert "Further measures" in text
    assert "covariance_ratio" in text
    (found,) = (one for one in as_data(document)["sections"] if one["title"] == "Further measures")
    assert "how much of the precision" in json.dumps(found)
    file = write_day(cs.calibrate(market.day("2020-03-18")), tmp_path / "day.html", "a market")
    assert "covariance_ratio" in (tmp_path / "day.html").read_text(encoding="utf-8"), file


def test_it_is_part_of_the_hash(study, market, tmp_path):
    with_both = StudySettings().results_hash
    assert study.runs["settings_hash"].iloc[-1] == with_both
    removed = registry._REGISTERED.pop("mean_leverage")
    try:
        assert StudySettings().results_hash != with_both
        # Whoever does not have the metric reads the study all the same.
        again = cs.open_study(study.path)
        assert again.rag.equals(study.rag) or "mean_leverage" in " ".join(again.rag["reasons"])
        assert len(again.metrics) == len(study.metrics)
        fewer = cs.run_study(market, tmp_path / "study.db")
        assert set(fewer.metrics["metric"]) == {"covariance_ratio"}
    finally:
        registry._REGISTERED["mean_leverage"] = removed
    other = cs.Metric("mean_leverage", per="day", unit="1", text="another formula",
                      compute=lambda sample: 2 * sample.own.leverage.mean(axis=-1))  # fmt: skip
    assert other.version != MEAN_LEVERAGE.version


def test_without_metrics_from_outside_the_hash_is_as_before():
    kept = dict(registry._REGISTERED)
    registry._REGISTERED.clear()
    try:
        assert StudySettings().results_hash.startswith("ed768f62")  # as versions 3 to 5 had it
    finally:
        registry._REGISTERED.update(kept)


def test_flags_and_directions_from_outside(market, tmp_path):
    """A flag is a number in the store, and makes days amber all the same."""
    steep = cs.Metric("is_steep", per="day", unit="", text="a direction is lost in noise",
                      compute=lambda sample: sample.full.singular_values[:, -1] < 1e-3,
                      kind="flag")  # fmt: skip
    relative = cs.Metric("relative_singular_value", per="direction", unit="1", text="part",
                         compute=lambda s: s.full.singular_values
                         / s.full.singular_values[:, :1])  # fmt: skip
    for metric in (steep, relative):
        cs.register_metric(metric)
    try:
        rules = {"governance": {"amber": ["is_steep"], "limits": {"largest_leverage": False}}}
        study = cs.run_study(market, tmp_path / "study.db", rules)
        data = as_data(day_document(cs.calibrate(market.day("2020-03-18")), "a market"))
        reasons = cs.open_study(study.path).rag["reasons"].str.contains("lost in noise")
    finally:
        for metric in (steep, relative):
            del registry._REGISTERED[metric.name]
    smallest = study.directions.groupby("date")["singular_value"].min()
    assert reasons.tolist() == (smallest < 1e-3).tolist()
    assert 0 < reasons.sum() < len(reasons)
    (found,) = (one for one in data["sections"] if one["title"] == "Further measures")
    (rows,) = (one["rows"] for one in found["blocks"] if one.get("caption") == "Per direction")
    assert [row["direction"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[0]["relative_singular_value"] == 1


def scaled(factor):
    return lambda sample: factor * sample.own.rmsre


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, sample):
        return self.factor * sample.own.rmsre

    def __repr__(self):
        return f"Scaled({self.factor}) at 0x{id(self):x}"


TYPED = """
exec("def compute(sample):\\n    return sum((lambda x: x)(value) for value in sample)")
import calibscope as cs
print(cs.Metric("own", "day", "1", "words", compute).version)
"""


@pytest.mark.parametrize("make", [scaled, Scaled, lambda k: partial(np.sum, axis=k)])
def test_a_formula_is_known_by_what_it_was_made_with(make):
    one, same, other = (cs.Metric("own", "day", "1", "words", make(k)).version for k in (1, 1, 2))
    assert one == same != other
    assert cs.Metric("own", "quote", "1", "words", make(1)).version != one


class Held:
    """What it is made with is in its attributes; it has no `repr` of its own."""

    def __init__(self, factor):
        self.weights = np.full(2000, float(factor))  # more than NumPy's repr shows
        self.weights[:3] = self.weights[-3:] = 1.0

    def __call__(self, sample):
        return self.weights.sum() * sample.own.rmsre


def closed_over(factor):
    weights = Held(factor).weights
    return lambda sample: weights.sum() * sample.own.rmsre


@pytest.mark.parametrize("make", [Held, closed_over, lambda k: partial(np.dot, Held(k).weights)])
def test_a_formula_is_known_by_all_that_it_holds(make):
    one, same, other = (version_of(make(k)) for k in (1, 1, 2))
    assert one == same != other


MODULE = """
import numpy as np

from own_package.tools import Tool, twice

LIMIT = 2.0
TABLE = {"3Y": 1.0}
WEIGHTS = np.ones(3000)
WEIGHTS[1500] = 5.0
TOOL = Tool(3)
memory = {}


def inner(sample):
    return LIMIT * WEIGHTS.sum() + TABLE["3Y"] + TOOL.factor


def compute(sample):
    memory[len(memory)] = 1
    return [twice(inner(sample)) for _ in sample.fits]


def unrelated():
    return 1
"""
TOOLS = """
UNIT = 1e4


def twice(value):
    return 2 * value * UNIT


class Tool:
    def __init__(self, factor):
        self.factor = factor
"""


@pytest.fixture
def compute_of(tmp_path, monkeypatch):
    """The formula of a package, as edited."""

    def edited(old="", new=""):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        package = folder / "own_package"
        package.mkdir(parents=True)
        for name, text in (("__init__", ""), ("formulas", MODULE), ("tools", TOOLS)):
            (package / f"{name}.py").write_text(text.replace(old, new) if old else text)
        monkeypatch.syspath_prepend(folder)
        for name in [name for name in sys.modules if name.startswith("own_package")]:
            del sys.modules[name]
        return importlib.import_module("own_package.formulas").compute

    return edited


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 2.0", "LIMIT = 3.0"),
        ('"3Y": 1.0', '"3Y": 1.5'),
        ("WEIGHTS[1500] = 5.0", "WEIGHTS[1500] = 6.0"),
        ("TOOL = Tool(3)", "TOOL = Tool(4)"),
        ("return LIMIT * WEIGHTS", "return 2 * LIMIT * WEIGHTS"),
        ("UNIT = 1e4", "UNIT = 1.0"),
        ("return 2 * value", "return 3 * value"),
        ("self.factor = factor", "self.factor = 2 * factor"),
    ],
)
def test_what_a_formula_uses_of_its_package_is_part_of_it(old, new, compute_of):
    one = version_of(compute_of())
    assert version_of(compute_of()) == one
    assert version_of(compute_of(old, new)) != one
    assert version_of(compute_of("return 1", "return 2")) == one


def test_a_memory_that_fills_is_no_part_of_a_formula(compute_of):
    compute = compute_of()
    before = version_of(compute)
    compute(SimpleNamespace(fits=[1, 2]))
    assert version_of(compute) == before


def test_a_formula_typed_at_a_prompt_is_the_same_in_every_process():
    found = [
        subprocess.run([sys.executable, "-c", TYPED], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert found[0].stdout == found[1].stdout


def test_a_wrong_shape_fails_the_day_with_a_reason(market, tmp_path):
    wrong = cs.Metric("wrong", per="quote", unit="1", text="has no quotes",
                      compute=lambda sample: np.zeros(len(sample.fits)))  # fmt: skip
    cs.register_metric(wrong)
    try:
        study = cs.run_study(market.between("2020-03-17", "2020-03-18"), tmp_path / "study.db")
    finally:
        del registry._REGISTERED["wrong"]
    assert set(study.days["status"]) == {"FAILED"}
    assert study.days["reason"].str.contains(r"wrong has the shape \(1,\); \(1, 13\) is").all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "two words"}, "give a word with letters"),
        ({"per": "week"}, "choose from day, quote, parameter, pair"),
        ({"text": ""}, "text is empty"),
        ({"compute": 3}, "is not a function"),
        ({"kind": "word"}, "choose from number, count, integer, flag, text"),
        ({"per": "parameter", "amber": 1.0}, "amber and red are limits of a number per"),
        ({"kind": "flag", "red": 1.0}, "amber and red are limits of a number per day or quote"),
    ],
)
def test_what_is_not_a_metric_is_refused(changes, words):
    given = {"name": "own", "per": "day", "unit": "1", "text": "words", "compute": len}
    with pytest.raises(ValueError, match=words):
        cs.Metric(**(given | changes))


def test_names_of_calibscope_are_taken():
    with pytest.raises(ValueError, match="rmsre is a metric of calibscope"):
        cs.register_metric(cs.Metric("rmsre", "day", "1", "mine", len))
    with pytest.raises(ValueError, match="own is a text; metrics of other packages are numbers"):
        cs.register_metric(cs.Metric("own", "day", "", "words", len, "text"))
    with pytest.raises(TypeError, match="expected a Metric"):
        cs.register_metric("rmsre")


@pytest.fixture
def announce(tmp_path, monkeypatch):
    """An installed package that announces something."""

    def installed(group, entry):
        info = tmp_path / "broken-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
        monkeypatch.syspath_prepend(tmp_path)
        announced.cache_clear()

    yield installed
    announced.cache_clear()


FILES = [str(ROOT / "examples" / "caps.csv"), "--curve", str(ROOT / "examples" / "ois.csv")]


@pytest.mark.parametrize(
    ("group", "entry", "why"),
    [
        ("calibscope.metrics", "gone = not_there.metrics:GONE", "No module named 'not_there'"),
        ("calibscope.metrics", "gone = json:dumps", "it is not a Metric of the name gone"),
        ("calibscope.metrics", "covariance_ratio = outside_metrics:NONE", "no attribute 'NONE'"),
        ("calibscope.models", "gone = not_there.models:Gone", "No module named 'not_there'"),
        ("calibscope.models", "gone = json:dumps", "expected a subclass of Model"),
    ],
)
def test_a_broken_package_is_named(announce, group, entry, why, tmp_path):
    announce(group, entry)
    more = ["--model", "gone"] if group == "calibscope.models" else []
    for command in (["run", *FILES, "--store", str(tmp_path / "s.db")],
                    ["day", *FILES, "--date", "2020-03-18"]):  # fmt: skip
        result = CliRunner().invoke(main, [*command, *more])
        assert result.exit_code == 1
        assert isinstance(result.exception, SystemExit)
        said = " ".join(result.stderr.split())
        assert said.startswith("Error: the package broken announces")
        assert why in said
        assert said.endswith("correct, update or uninstall that package")


def test_a_metric_in_the_settings_that_is_not_here_is_refused(tmp_path):
    for value in ("1", '"1"'):
        asked = ["run", *FILES, "--store", str(tmp_path / "s.db"), "--set", f"metrics.foo={value}"]
        result = CliRunner().invoke(main, asked)
        assert result.exit_code == 1
        assert "the metric foo is not known here; install the package" in result.stderr
    assert not (tmp_path / "s.db").exists()


def test_every_metric_is_described():
    for metric in METRICS:
        assert metric.text
        # A quote's is rated by its largest, which `_largest` makes a number of the day.
        assert metric.per == "day" or (metric.amber, metric.red) == (None, None), metric.name
        assert bool(metric.unit) == (metric.kind in ("number", "count")), metric.name
    names = [(metric.per, metric.name) for metric in METRICS]
    assert len(set(names)) == len(names)


FORMULA = """
def covariance_ratio(sample):
    own = sample.own
    m, p = own.problem.design.shape[-2], own.edof[:, None]
    return ((m - p - own.resid_studentized_internal**2) / (m - p - 1)) ** p / (1 - own.leverage)
"""
RECORD = """    Metric("covariance_ratio", "quote", "1", "what the quote adds to the precision",
           covariance_ratio),
    Metric("weight", "quote",
"""
INSIDE = """
import importlib.util, sys
from pathlib import Path

class Changed:  # two files in place of those of the package, or beside them
    def find_spec(self, name, path, target=None):
        file = Path(sys.argv[1], *name.split(".")).with_suffix(".py")
        return importlib.util.spec_from_file_location(name, file) if file.is_file() else None

sys.meta_path.insert(0, Changed())
import calibscope as cs
from calibscope.report.export.dictionary import dictionary
from calibscope.report.html.write_day import write_day
from calibscope.report.machine_readable import day_as_data
from calibscope.report.render.as_data import as_data
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.day import day_document

market = cs.demo_market().between("2020-03-16", "2020-03-18")
store = Path(sys.argv[1], "study.db")
try:
    said = repr(cs.open_study(store))
except cs.StoreError as error:
    said = str(error)
assert "was written before calibscope kept quotes.covariance_ratio; the next" in said, said
study = cs.run_study(market, store)
assert study.runs["repaired"].isna().all()
assert study.runs["days_computed"].tolist() == [2, 1]
assert study.quotes.groupby("date")["covariance_ratio"].count().tolist() == [0, 0, 13]
fresh = cs.run_study(market, Path(sys.argv[1], "fresh.db"))
assert fresh.quotes["covariance_ratio"].notna().all()
columns = dictionary(study.specs)["quotes"].columns
assert columns["covariance_ratio"].meaning.startswith("what the quote adds")
assert len(day_as_data(cs.calibrate(market.days[0]))["metrics"]["quote"]["covariance_ratio"]) == 13
write_day(cs.calibrate(market.days[0]), Path(sys.argv[1], "day.html"), "a market")
assert "covariance_ratio" in Path(sys.argv[1], "day.html").read_text("utf-8")
print("stored, exported, shown")
"""


def test_inside_a_metric_is_two_files(tmp_path, monkeypatch):
    """Those that docs/architecture/add-a-diagnostic.md names: formula and record.

    A store from before has the column too, empty for the days that it has.
    """
    monkeypatch.setattr(registry, "_REGISTERED", {})
    cs.run_study(cs.demo_market().between("2020-03-16", "2020-03-17"), tmp_path / "study.db")
    before = (tmp_path / "study.db").read_bytes()
    page = (ROOT / "docs" / "architecture" / "add-a-diagnostic.md").read_text("utf-8")
    formula, record = "diagnosis/linear/covariance_ratio.py", "study/metrics.py"
    assert f"1. `{formula}`" in page
    assert f"2. `{record}`" in page
    package = tmp_path / "calibscope"
    for file in (formula, record):
        (package / file).parent.mkdir(parents=True)
    (package / formula).write_text(FORMULA)
    text = (Path(cs.__file__).parent / record).read_text(encoding="utf-8")
    place = '    Metric("weight", "quote",'
    assert text.count(place) == 1
    imported = "from calibscope.diagnosis.linear.covariance_ratio import covariance_ratio\n"
    text = text.replace(place, RECORD.rstrip()).replace(
        "import numpy as np\n", f"import numpy as np\n{imported}"
    )
    (package / record).write_text(text, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-c", INSIDE, str(tmp_path)], capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert result.stdout == "stored, exported, shown\n", result.stderr
    with pytest.raises(cs.StoreError, match=r"keeps more: quotes.covariance_ratio; install that"):
        cs.open_study(tmp_path / "study.db")
    after = (tmp_path / "study.db").read_bytes()
    with pytest.raises(cs.StoreError, match=r"keeps more: quotes.covariance_ratio; install that"):
        cs.run_study(cs.demo_market().between("2020-03-16", "2020-03-17"), tmp_path / "study.db")
    assert (tmp_path / "study.db").read_bytes() == after != before


WORKER = """
import sys, calibscope as cs

def main(folder):
    from distributed import LocalCluster
    market = cs.demo_market().between("2020-03-16", "2020-03-18")
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        there = cs.run_study(market, f"{folder}/there.db", engine=cluster.scheduler_address)
    here = cs.run_study(market, f"{folder}/here.db")
    assert here.metrics.equals(there.metrics) and len(here.metrics) == 3 * 14
    assert here.left_out.equals(there.left_out) and len(here.left_out) == 3 * 13
    assert here.profiles.equals(there.profiles) and len(here.profiles) == 3 * 5 * 3
    print("same")

if __name__ == "__main__":
    main(sys.argv[1])
"""


def test_a_dask_worker_finds_it_by_its_entry_point(tmp_path):
    """In processes that never called `register_metric`."""
    info = tmp_path / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[calibscope.metrics]\ncovariance_ratio = outside_metrics:COVARIANCE_RATIO\n"
        "mean_leverage = outside_metrics:MEAN_LEVERAGE\n"
    )
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    path = os.pathsep.join([str(tmp_path), str(HERE), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, timeout=300,
        check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert result.stdout == "same\n", result.stderr
