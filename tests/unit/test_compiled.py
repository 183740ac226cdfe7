"""Compiled code is kept, found again, and never stale."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from calibscope.base import compiled
from calibscope.diagnosis.linear.geometry import ratio_of_ends
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


def test_a_changed_import_of_a_kernel_gets_a_new_folder_and_other_files_do_not(
    tmp_path, monkeypatch
):
    files = {name: tmp_path / f"{name}.py" for name in ("kernel", "middle", "constant", "other")}
    files["kernel"].write_text("from calibscope.middle import x\n@compiled\n")
    files["middle"].write_text("from calibscope.constant import X\n")
    for name in ("constant", "other"):
        files[name].write_text("X = 1\n")
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path)
    before = compiled.cache_folder.__wrapped__()
    files["other"].write_text("X = 2\n")
    assert compiled.cache_folder.__wrapped__() == before
    files["constant"].write_text("X = 2\n")
    assert compiled.cache_folder.__wrapped__() != before


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


def test_a_user_without_a_home_can_still_start(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path / "file")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(compiled.Path, "expanduser", raise_no_home)
    assert compiled.cache_folder.__wrapped__() is None


def raise_no_home(path):
    raise RuntimeError("Could not determine home directory.")


@pytest.fixture
def notices(monkeypatch):
    """What is announced, by a process that has announced nothing yet."""
    said = []
    monkeypatch.setattr(compiled, "announced", threading.Event(), raising=False)
    monkeypatch.setattr(compiled, "cache_folder", lambda: None)
    monkeypatch.setattr(compiled.logger, "warning", said.append)
    return said


def compile_anew(number=0.0):
    """A new kernel; one with nested loops, to take longer than a thread takes to start."""

    def kernel(matrix):
        total = number
        for row in matrix:
            for value in row:
                total += np.sqrt(value) + np.linalg.norm(row)
        return total

    with compiled.compilation_notice():
        return compiled.compiled(kernel)(np.ones((2, 2)))


def test_a_long_compilation_is_announced_once_a_process(notices, monkeypatch):
    monkeypatch.setattr(compiled, "SECONDS_BEFORE_NOTICE", 0)
    for number in (1.0, 2.0, 3.0):
        compile_anew(number)
    assert notices == ["compiling kernels for this machine (once; about a minute) ..."]


def test_kernels_for_stacks_are_announced_too(notices, monkeypatch):
    monkeypatch.setattr(compiled, "SECONDS_BEFORE_NOTICE", 0)
    monkeypatch.setattr(compiled, "pending", [])
    assert compiled.compiled_for_stacks("f8, f8[:]", "() -> ()")(twice)(1.5) == 3.0
    assert len(notices) == 1


def test_a_short_one_is_not(notices, monkeypatch):
    monkeypatch.setattr(compiled, "SECONDS_BEFORE_NOTICE", 60)
    compile_anew()
    assert not notices


def test_work_that_takes_long_on_compiled_kernels_is_not(notices, monkeypatch):
    monkeypatch.setattr(compiled, "SECONDS_BEFORE_NOTICE", 0.05)
    with compiled.compilation_notice():
        time.sleep(0.5)
    assert not notices


def test_work_after_a_short_compilation_is_not(notices, monkeypatch):
    monkeypatch.setattr(compiled, "SECONDS_BEFORE_NOTICE", 0.2)
    passes = compiled.CompilerPasses()
    for notify in (passes.on_start, passes.on_start, passes.on_end, passes.on_end, passes.on_end):
        notify(None)
    time.sleep(0.5)
    assert not notices
    passes.on_start(None)
    assert compiled.announced.wait(60)
    passes.on_end(None)


def test_a_kernel_of_one_day_runs_over_stacks():
    sizes = np.array([[8.0, 4.0, 2.0], [9.0, 3.0, 0.0]])
    assert ratio_of_ends(sizes[0], 3) == 4.0
    assert ratio_of_ends(sizes, 3).tolist() == [4.0, np.inf]
    assert ratio_of_ends(sizes, [2, 1]).tolist() == [2.0, 1.0]
    levels = ratio_of_ends(sizes, [[1], [2]])  # another axis first, as for levels of intervals
    assert levels.tolist() == [[1.0, 1.0], [2.0, 3.0]]


def test_kernels_for_stacks_are_compiled_together_at_first_use(monkeypatch):
    """And not when they are imported."""
    waiting = []
    monkeypatch.setattr(compiled, "pending", waiting)
    monkeypatch.setattr(compiled, "cache_folder", lambda: None)
    double, triple = (
        compiled.compiled_for_stacks("f8, f8[:]", "() -> ()")(kernel) for kernel in (twice, thrice)
    )
    assert len(waiting) == 2
    assert double(1.5) == 3.0
    assert not waiting
    assert triple(np.array([1.0, 2.0])).tolist() == [3.0, 6.0]


def twice(value, result):
    result[0] = 2.0 * value


def thrice(value, result):
    result[0] = 3.0 * value


def test_processes_compile_kernels_for_stacks_one_after_the_other(tmp_path, monkeypatch):
    """Files of two processes do not fit together: the next to load them would crash."""
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(compiled, "pending", [])
    lock = "import fcntl, os, sys; d = os.open(sys.argv[1], os.O_RDONLY); "
    lock += "fcntl.flock(d, fcntl.LOCK_EX); print('locked', flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", lock, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout.readline() == b"locked\n"
        done = threading.Event()
        kernel = compiled.compiled_for_stacks("f8, f8[:]", "() -> ()")(twice)
        worker = threading.Thread(target=lambda: (kernel(1.0), done.set()))
        worker.start()
        assert not done.wait(1.0)
        other.stdin.close()
    assert done.wait(60.0)
    assert kernel(1.5) == 3.0


def test_a_second_process_helps_only_where_nothing_is_compiled_yet(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(compiled.subprocess, "Popen", lambda *a, **k: started.append(a) or Idle())
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    (tmp_path / "empty").mkdir()
    with compiled.compiled_beside("pass"):
        assert len(started) == 1
    (tmp_path / "empty" / "kernel.nbi").touch()
    with compiled.compiled_beside("pass"):
        assert len(started) == 1


class Idle:
    def terminate(self):
        pass

    def wait(self):
        pass
