"""Compiled code is kept, found again, and never stale."""

import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calibscope.models import compiled
from calibscope.models.g2 import caps


def test_kernels_are_cached_on_disk_beside_the_code():
    folder = compiled.cache_folder()
    assert any(folder.rglob("*evaluate_days*.nbi"))
    assert any(folder.rglob("*evaluate_days*.nbc"))


def test_a_second_process_loads_instead_of_compiling():
    code = (
        "from calibscope.models.g2 import caps; caps.compile_kernels();"
        "stats = caps.evaluate_days.stats;"
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["1", "0"]


def test_a_changed_formula_gets_a_new_folder(tmp_path, monkeypatch):
    source = Path(caps.__file__).read_text(encoding="utf-8")
    kernel = tmp_path / "kernel.py"
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path)
    folders = []
    for text in (source, source.replace("near - far", "near + far"), source):
        kernel.write_text(text, encoding="utf-8")
        folders.append(compiled.cache_folder.__wrapped__())
    assert folders[0] == folders[2] != folders[1]


def test_a_read_only_installation_uses_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled.os, "access", lambda path, _: tmp_path in path.parents)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert compiled.cache_folder.__wrapped__().parent == tmp_path / "calibscope"


def test_without_a_writable_folder_kernels_are_compiled_but_not_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path / "file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(compiled, "cache_folder", compiled.cache_folder.__wrapped__)
    assert compiled.cache_folder() is None
    assert compiled.compiled(lambda x: x + 1)(1.0) == 2


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 0), (0.3, 1)])
def test_only_a_long_compilation_is_announced(seconds, expected, caplog, monkeypatch):
    monkeypatch.setattr(compiled, "SECONDS_BEFORE_NOTICE", 0.1)
    with caplog.at_level(logging.WARNING, "calibscope"), compiled.compilation_notice():
        time.sleep(seconds)
    assert len([r for r in caplog.records if "compiling" in r.message]) == expected
