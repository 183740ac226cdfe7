"""`Refits`: answers about a fit that come from fitting again, in one place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibscope.diagnosis.linear.uncertainty import Noise
from calibscope.diagnosis.refit.bootstrap import SEED, SIZE, Bootstrap, Kind, bootstrap
from calibscope.diagnosis.refit.bump import Bumps, bump
from calibscope.diagnosis.refit.leave_one_out import LEFT_OUT, LeaveOneOut, leave_one_out
from calibscope.diagnosis.refit.outliers import Outliers, outlier_table
from calibscope.diagnosis.refit.profile import Profiles, profiles
from calibscope.diagnosis.refit.refit import required, sum_of_squares
from calibscope.diagnosis.refit.robust import Loss, Robust, robust
from calibscope.diagnosis.settings import LEVELS

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

SOLVED = 1e-6  # of the objective: less is what solvers leave


@dataclass(frozen=True, slots=True, eq=False)
class Refits:
    """What a diagnosis can say when it may fit again; the files of the same names have the rest."""

    dx: "Diagnosis"

    def __post_init__(self) -> None:
        required(self.dx.refit)

    @property
    def is_reproduced(self) -> bool:
        """Whether the same quotes, fitted again, are met no better.

        If they are, the fit was not the best one, and every shift below includes that gap.
        """
        refit, problem = required(self.dx.refit), self.dx.problem
        assert problem.observed is not None
        quotes, weights = problem.observed[None], problem.weights[None]
        again = refit.predict(refit.solve(quotes, weights, starts=problem.values[None]))
        now = (problem.weighted_residuals**2).sum()
        better = sum_of_squares(again, quotes, weights)[0]
        return bool(now <= (1.0 + SOLVED) * better or self.dx.flags.is_perfect)

    def leave_one_out(self) -> LeaveOneOut:
        """Parameters without each quote, beside what `dfbeta` predicted.

        theta_(k) = argmin of the sum of w_l (y_l - g_l(theta))^2 over l != k (Belsley, Kuh and
        Welsch (1980)). The diagnosis remembers it.

        Returns
        -------
        LeaveOneOut
            one refit per quote
        """
        known = self.dx.known_left_out.get(LEFT_OUT)
        if known is None:
            known = self.dx.known_left_out[LEFT_OUT] = leave_one_out(self.dx)
        return known

    def profiles(
        self,
        levels: Sequence[float] = LEVELS,
        names: Sequence[str] | None = None,
        scale: Noise | None = None,
    ) -> Profiles:
        """How good the fit can be with each parameter held, and the intervals that follow.

        Q_j(t) = min of Q over theta_j = t; the interval is all t with Q_j(t) <= Q_min (1 +
        F_{1,m-p}(level) / (m - p)), with known noise Q_min + sigma^2 chi2_1(level) (Bates and
        Watts, 1988, section 6.1). The diagnosis remembers profiles of all parameters.

        Parameters
        ----------
        levels : of the intervals
        names : of the parameters; None means all that can move
        scale : of the noise, as for `Diagnosis.covariance`

        Returns
        -------
        Profiles
            a curve and intervals per parameter
        """
        scale = self.dx.chosen_scale(scale)
        if names is not None:
            return profiles(self.dx, levels, names, scale)
        known = self.dx.known_profiles
        if scale not in known or known[scale].levels != tuple(sorted(levels)):
            known[scale] = profiles(self.dx, levels, None, scale)
        return known[scale]

    def bump(
        self,
        sizes: float | Sequence[float] = 1e-4,
        reweighted: bool = False,
        relative: bool = True,
    ) -> Bumps:
        """Parameters after each quote's move, beside what `sensitivity` predicted.

        First order: d theta = B^-1 J^T (W dy + dW r), the implicit function theorem at J^T W r = 0
        (paper, eq. influence_function, is its case dy = r).

        Parameters
        ----------
        sizes : of the moves, one or several
        reweighted : whether weights follow the quotes
        relative : whether sizes are shares of the quotes, or to be added to them

        Returns
        -------
        Bumps
            one refit per size and quote
        """
        return bump(self.dx, sizes, reweighted, relative)

    def bootstrap(
        self,
        kind: Kind = "parametric",
        size: int = SIZE,
        seed: int = SEED,
        scale: Noise | None = None,
    ) -> Bootstrap:
        """Parameters fitted to simulated quotes, and their percentile intervals.

        y* = g(theta) + W^(-1/2) epsilon, fitted again (Davison and Hinkley, 1997, section 6.2).

        Parameters
        ----------
        kind : "parametric" (normal noise), or "residual" (noise drawn from the residuals)
        size, seed : how many, and where they start
        scale : of parametric noise

        Returns
        -------
        Bootstrap
            the refits
        """
        return bootstrap(self.dx, kind, size, seed, self.dx.chosen_scale(scale))

    def robust(self, loss: Loss = "huber") -> Robust:
        """Parameters when large errors count for less: "huber" or "cauchy".

        Weights w_k psi(u_k) / u_k with u_k = e_k / sigma, until they stand still (Huber, 1981;
        Holland and Welsch, 1977).

        Parameters
        ----------
        loss : "huber" or "cauchy"

        Returns
        -------
        Robust
            parameters and robustness weights
        """
        return robust(self.dx, loss)

    def outliers(self) -> Outliers:
        """Every quote's error seen four ways, and a verdict.

        Studentised residual, PRESS residual y_k - g_k(theta_(k)) and robustness weights (Belsley,
        Kuh and Welsch (1980); Huber, 1981).

        Returns
        -------
        Outliers
            one row per quote
        """
        return outlier_table(self.dx)
