"""Kernels that other kernels call, optimised once instead of once per level of calls.

Numba optimises every function together with all that it calls and emits its machine code, before
it does the same with the callers. In a call tree eight levels deep the innermost formula is
optimised eight times, although only the outermost code is ever run. What is called from a kernel is
therefore kept as intermediate code, and what Python calls is optimised as a whole, once. The first
calibration on a machine takes 33 seconds instead of 176, and those after it 1.0 ms either way
(`python benchmarks/cold_start.py --linking`, medians of three turns on two cores).

Numba documents none of what this needs: `_library_class` of the code generator, the two methods of
a library below, and `compile`, `get_call_template` and `get_overload` of a dispatcher. They have
been what they are for many versions; `test_linking.py` fails when one of them changes.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.types.misc import unliteral


class IntermediateCode(JITCodeLibrary):  # type: ignore[misc]
    """Code to be linked into that of its callers: neither optimised nor emitted by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No machine code, no address."""
        return 0

    @property
    def codegen(self) -> Any:
        """The code generator, to which the environment of this code does not matter yet."""
        return _WithoutEnvironments(self._codegen)


class WholeProgram(JITCodeLibrary):  # type: ignore[misc]
    """What Python calls, with everything that is called from there."""

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self.codegen.set_env(variable.name, environment)


class _WithoutEnvironments:
    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """The caller's code will have this environment; see `WholeProgram`."""


def divided(door: Any, inner: Any) -> Any:
    """Let Python call `door`, and kernels `inner`: two dispatchers of the same function.

    Constants lose their own types on the way: a kernel called with 2 and with 100 would be compiled
    twice.
    """
    compile_door = door.compile

    def compile_whole(signature: Any) -> Any:
        with _code_as(WholeProgram):
            return compile_door(signature)

    def get_call_template(args: tuple[Any, ...], kws: Mapping[str, Any]) -> Any:
        with _code_as(IntermediateCode):
            return inner.get_call_template(
                tuple(map(unliteral, args)), {name: unliteral(kws[name]) for name in kws}
            )

    door.compile = compile_whole
    door.get_call_template = get_call_template
    door.get_overload = inner.get_overload
    return door


@contextmanager
def _code_as(library: type) -> Iterator[None]:
    """Compile into libraries of this class, one thread at a time."""
    with global_compiler_lock:
        before = JITCPUCodegen._library_class
        JITCPUCodegen._library_class = library
        try:
            yield
        finally:
            JITCPUCodegen._library_class = before
