"""Damaged machine code is compiled anew; a full disk costs nothing but time."""

import errno
import logging
import subprocess
import sys

import pytest

from calibscope.base import compiled, kernel_files

MODULE = """
from calibscope.base.compiled import compiled, compiled_for_stacks

@compiled
def thrice(value):
    return 3.0 * value

@compiled_for_stacks("f8, f8[:]", "() -> ()")
def twice(value, result):
    result[0] = 2.0 * value

print(thrice(1.5), twice(1.5), *thrice.stats.cache_hits.values())
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the module in a process of its own, with kernel files of its own."""
    (tmp_path / "kernels.py").write_text(MODULE)
    code = (
        "from pathlib import Path; from calibscope.base import compiled;"
        f"compiled.cache_folder = lambda: Path({str(tmp_path / 'kept')!r}); import kernels"
    )

    def process():
        command = [sys.executable, "-c", code]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    return process


def test_damaged_files_are_compiled_anew_and_said(run, tmp_path):
    assert run().stdout == "4.5 3.0\n"
    sound = run()
    assert (sound.stdout, sound.stderr) == ("4.5 3.0 1\n", "")
    files = sorted((tmp_path / "kept").rglob("*.nb[ci]"))
    assert len(files) == 6  # index and code of the kernel, of the ufunc's, and of its loop
    for ending, damage in {
        "nbi": lambda content: content[: len(content) // 2],
        "nbc": lambda content: content[:-100] + b"X" + content[-99:],
        "nb[ci]": lambda content: b"",
    }.items():
        for file in (tmp_path / "kept").rglob(f"*.{ending}"):
            file.write_bytes(damage(file.read_bytes()))
        mended = run()
        assert mended.stdout == "4.5 3.0\n"
        assert mended.stderr.count("are damaged; compiling them again") == 1
        assert (run().stdout, run().stderr) == ("4.5 3.0 1\n", "")


def test_a_full_disk_is_said_once(tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernel_files, "said", set())
    monkeypatch.setattr(kernel_files.KernelFiles, "_open_for_write", full)
    with caplog.at_level(logging.WARNING):
        assert [compiled.compiled(kernel)(1.0) for kernel in (half, third)] == [0.5, 1 / 3]
    assert [record.getMessage().split(" in ")[0] for record in caplog.records] == [
        "kernels cannot be kept"
    ]
    assert "No space left on device" in caplog.text


def half(value):
    return value / 2


def third(value):
    return value / 3
