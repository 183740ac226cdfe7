"""Hidden folders go with their process, or with the next one; those in use stay."""

import json
import subprocess
import sys

import pytest

from calibscope.report.export.target import FORMAT, HIDDEN, MANIFEST, new_file, new_folder
from calibscope.report.export.work_folder import work_folder

pytest.importorskip("fcntl")
KILLED = """
import os, signal, sys
from pathlib import Path
from calibscope.report.export.work_folder import work_folder
with work_folder(Path(sys.argv[1]), sys.argv[2]) as work:
    (work / "half.txt").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_killed_process_leaves_nothing_for_long(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), HIDDEN])
    assert len(names(tmp_path)) == 1
    with work_folder(tmp_path, HIDDEN) as mine:
        assert names(tmp_path) == [mine.name]
    assert names(tmp_path) == []


def test_two_at_once_do_not_share_a_folder(tmp_path):
    target = tmp_path / "page.html"
    with (
        new_file(target, "a page", lambda _: True) as one,
        new_file(target, "a page", lambda _: True) as other,
    ):
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert target.read_text() == "one"
    assert names(tmp_path) == ["page.html"]


def test_a_planted_link_is_neither_followed_nor_removed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious.txt").write_text("precious")
    (tmp_path / f"{HIDDEN}link").symlink_to(tmp_path / "mine")
    with new_file(tmp_path / "page.html", "a page", lambda _: True) as place:
        place.write_text("page")
    assert (tmp_path / "mine" / "precious.txt").read_text() == "precious"
    assert names(tmp_path) == [f"{HIDDEN}link", "mine", "page.html"]


def test_an_export_killed_among_its_files_is_replaced(tmp_path):
    """The manifest is renamed last: what lies there without one is still ours."""
    target = tmp_path / "results"
    hidden = target / f"{HIDDEN}killed"
    hidden.mkdir(parents=True)
    (target / "days.csv").write_text("of the killed one")
    tables = {"days": {"file": "days.csv"}, "quotes": {"file": "quotes.csv"}}
    (hidden / MANIFEST).write_text(json.dumps({"format": FORMAT, "tables": tables}))
    with new_folder(target) as place:
        for name in ("runs.csv", MANIFEST):
            (place / name).write_text("new")
    assert names(target) == [MANIFEST, "runs.csv"]
