"""The solvers: one table of what there is by name, one algorithm per file, all on a `Problem`.

`global` is the default and needs no start. The others are there for comparison. Whoever needs to
know which solvers there are reads `SOLVERS`: settings, messages, the terminal and the live page. It
imports nothing heavy; a solver's file is imported when the solver is asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from calibscope.base.spelling import choose_from

if TYPE_CHECKING:
    from calibscope.base.arrays import Array
    from calibscope.calibration.candidates import Candidates
    from calibscope.calibration.problem import Problem

Solve = Callable[["Problem", "Array"], "Candidates"]


@dataclass(frozen=True, slots=True)
class SolverSpec:
    """What there is to know of a solver before it runs."""

    module: str  # in this folder, with its function solve(problem, start)
    title: str  # for a page
    when: str  # to use it
    is_global: bool = False  # looks beyond the optimum that its start leads to
    is_quick: bool = False  # takes milliseconds a day


SOLVERS = {
    "global": SolverSpec(
        "global_search",
        "global search",
        "always, unless you compare. Needs no start",
        is_global=True,
        is_quick=True,
    ),
    "bobyqa": SolverSpec(
        "bobyqa", "BOBYQA", "to compare with the paper: its baseline, no derivatives"
    ),
    "nelder-mead": SolverSpec(
        "nelder_mead", "Nelder-Mead", "to compare with a spreadsheet; no derivatives"
    ),
    "lm": SolverSpec(
        "lm",
        "Levenberg-Marquardt",
        "what most libraries do for least squares; slow along flat directions",
        is_quick=True,
    ),
    "gauss-newton": SolverSpec(
        "gauss_newton",
        "Gauss-Newton",
        "the textbook method, undamped; stops where its step no longer helps",
        is_quick=True,
    ),
    "newton": SolverSpec(
        "newton",
        "Newton",
        "the local optimum from your own start: quick, to the last digit",
        is_quick=True,
    ),
    "annealing": SolverSpec(
        "annealing",
        "annealing",
        "to compare with a random global method; some 10,000 evaluations, no promise, repeatable",
        is_global=True,
    ),
    "multistart": SolverSpec(
        "multistart",
        "many starts",
        "64 starts of Newton; `fit.candidates` shows how rugged the problem is",
        is_global=True,
    ),
}


def solver(name: str) -> Solve:
    """The function solve(problem, start) of a solver."""
    if name not in SOLVERS:
        raise ValueError(f"solver is {name!r}; {choose_from(SOLVERS, name)}")
    solve: Solve = import_module(f"{__name__}.{SOLVERS[name].module}").solve
    return solve


def is_global(origin: str) -> bool:
    """Whether parameters of this origin were searched for globally; "given" ones were not."""
    return origin in SOLVERS and SOLVERS[origin].is_global
