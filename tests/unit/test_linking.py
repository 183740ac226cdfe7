"""What kernels call stays intermediate code; what Python calls is a whole program."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from calibscope.base import compiled as cache
from calibscope.base.compiled import compiled
from calibscope.base.linking import IntermediateCode, WholeProgram


@pytest.fixture
def kernels(monkeypatch):
    """Kernels that no other process compiled before."""
    monkeypatch.setattr(cache, "cache_folder", lambda: None)

    @compiled
    def squared(x, times):
        for _ in range(times):
            x = x * x
        return x

    @compiled
    def spoken(x):
        print("the kernel says", x)
        return x

    @compiled
    def powers(x):
        return squared(x, 2) + squared(x, 1)

    @compiled
    def loud_powers(x):
        return powers(spoken(x)) + np.sum(np.ones(2))

    return SimpleNamespace(**locals())


def library(kernel):
    (result,) = kernel.overloads.values()
    return result.library


def test_a_called_kernel_is_compiled_once_as_intermediate_code(kernels):
    assert kernels.powers(3.0) == 90.0
    whole = library(kernels.powers)
    assert isinstance(whole, WholeProgram)
    assert not kernels.squared.overloads  # Python has not called it
    (linked,) = {linked for linked in whole._linking_libraries if "squared" in linked.name}
    assert isinstance(linked, IntermediateCode)


def test_python_can_call_what_kernels_call(kernels):
    assert kernels.powers(2.0) == 20.0
    assert kernels.squared(2.0, 3) == 256.0
    assert isinstance(library(kernels.squared), WholeProgram)


def test_environments_reach_intermediate_code(kernels, capfd):
    assert kernels.loud_powers(2.0) == 22.0
    assert capfd.readouterr().out == "the kernel says 2.0\n"


def test_threads_may_compile_at_once(kernels):
    found = {}
    threads = [
        threading.Thread(target=lambda kernel=kernel: found.update({kernel: kernel(2.0)}))
        for kernel in (kernels.powers, kernels.loud_powers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) in ([20.0, 22.0], [22.0, 20.0])
    assert {type(library(kernel)) for kernel in found} == {WholeProgram}
