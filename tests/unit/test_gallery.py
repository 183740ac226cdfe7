"""The gallery of the documentation: every figure is in it, and every script of it runs.

Figures that only the documentation shows are in `docs/figures`.
"""

import importlib
import inspect
import pkgutil
import runpy
import struct
from pathlib import Path

import plotly.graph_objects as go
import pytest

import calibscope as cs
from calibscope.report import figures
from calibscope.report.figures.style import dressed

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted((DOCS / "gallery").glob("plot_*.py"))
LARGEST, WIDTH = 20_000, 400  # bytes and pixels of a thumbnail


def all_figures():
    """Public functions that give a figure its question; helpers ask none, or take a figure."""
    for module in pkgutil.iter_modules(figures.__path__):
        home = importlib.import_module(f"{figures.__name__}.{module.name}")
        for name, function in inspect.getmembers(home, inspect.isfunction):
            result = inspect.signature(function)
            is_own = function.__module__ == home.__name__ and not name.startswith("_")
            is_maker = result.return_annotation is go.Figure and "figure" not in result.parameters
            source = inspect.getsource(function)
            if is_own and is_maker and ("dressed(" in source or "answered(" in source):
                yield home.__name__, name


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    """What a script shows, as draw_gallery.py finds it, with half a year for the whole study.

    `make docs` runs the scripts on all of it.
    """
    store = tmp_path_factory.mktemp("demo") / "study.db"
    cs.run_study(cs.demo_market().between("2022-06-01", "2022-11-30"), store)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "gallery"))
        patch.setattr("demo_study.demo_store", lambda: store)
        yield runpy.run_path(str(DOCS / "draw_gallery.py"))["figure_of"]


def test_every_figure_has_a_script_and_every_script_a_figure():
    known = {name: home for home, name in all_figures()}
    assert len(known) > 20, "figures are no longer recognised"
    assert dressed.__name__ not in known
    known |= {file.stem: f"figures.{file.stem}" for file in (DOCS / "figures").glob("*.py")}
    assert {script.stem for script in SCRIPTS} == {f"plot_{name}" for name in known}
    for name, home in known.items():
        text = (DOCS / "gallery" / f"plot_{name}.py").read_text(encoding="utf-8")
        assert f"from {home} import {name}\n" in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_shows_its_figure(script, show):
    figure = show(script)
    assert isinstance(figure, go.Figure)
    texts = (figure.layout.title.text, figure.layout.title.subtitle.text)
    is_market = "leverage_theory" not in script.stem  # which has no market, and says so
    assert ("SYNTHETIC" if is_market else "Idealised") in " ".join(text or "" for text in texts)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_has_a_small_thumbnail(script):
    place = f"gallery/thumbnails/{script.stem.removeprefix('plot_')}.png"
    assert f'# sphinx_gallery_thumbnail_path = "{place}"\n' in script.read_text(encoding="utf-8")
    content = (DOCS / place).read_bytes()
    width, _ = struct.unpack(">II", content[16:24])  # of the header of a PNG file
    assert (width, len(content) < LARGEST) == (WIDTH, True)


def test_no_thumbnail_is_left_over():
    names = {path.stem for path in (DOCS / "gallery" / "thumbnails").iterdir()}
    assert names == {script.stem.removeprefix("plot_") for script in SCRIPTS}
