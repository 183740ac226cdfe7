"""Solvers by name, one algorithm per file, all on the same `Problem`.

`global` is the default and needs no start. The others find the local optimum that their start leads
to, and are there for comparison: `bobyqa` is the paper's baseline, `newton` uses the exact Hessian,
`lm` and `gauss-newton` the Jacobian alone, `multistart` many starts of one of them, `annealing` and
`nelder-mead` no derivatives at all.
"""

from collections.abc import Callable
from importlib import import_module

from calibscope.base.arrays import Array
from calibscope.base.spelling import choose_from
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem

SOLVERS = {
    "global": "global_search",
    "bobyqa": "bobyqa",
    "nelder-mead": "nelder_mead",
    "lm": "lm",
    "gauss-newton": "gauss_newton",
    "newton": "newton",
    "annealing": "annealing",
    "multistart": "multistart",
}

Solve = Callable[[Problem, Array], Candidates]


def solver(name: str) -> Solve:
    """The function solve(problem, start) of a solver."""
    if name not in SOLVERS:
        raise ValueError(f"solver is {name!r}; {choose_from(SOLVERS, name)}")
    solve: Solve = import_module(f"calibscope.calibration.solvers.{SOLVERS[name]}").solve
    return solve
