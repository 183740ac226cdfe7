"""Notebooks are stored clean, begin with their title, and run from top to bottom."""

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def cells_of(path, kind):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


def text_of(cell):
    return "".join(cell["source"])


def test_there_are_notebooks():
    assert "the_papers_story.ipynb" in [path.name for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path):
    for cell in cells_of(path, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    assert set(metadata) == {"kernelspec", "language_info"}
    assert set(metadata["language_info"]) == {"name"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_one_title_and_says_that_its_market_is_synthetic(path):
    texts = [text_of(cell) for cell in cells_of(path, "markdown")]
    titles = [line for text in texts for line in text.splitlines() if line.startswith("# ")]
    assert texts[0].startswith("# ")
    assert len(titles) == 1
    assert "**synthetic**" in texts[0]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_somewhere(path):
    for cell in cells_of(path, "markdown"):
        for target in [part.split(")")[0] for part in text_of(cell).split("](")[1:]]:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    """In a kernel of its own, as `make docs` and Jupyter run it; every cell shows something."""
    monkeypatch.setenv("PLOTLY_RENDERER", "sphinx_gallery")
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=400, kernel_name="python3", resources=folder).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs, cell.source
            kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
            assert kinds or cell.outputs[0].output_type == "stream", cell.source
