"""`Diagnosis`: what can be said about one fit without fitting again; `refits` fits again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.measures import Quantities
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.facts import Facts
from calibscope.diagnosis.linear.bates_watts import BatesWatts, bates_watts
from calibscope.diagnosis.linear.data_worth import CandidateQuotes, DataWorth, data_worth
from calibscope.diagnosis.linear.intervals import Intervals, checked_levels
from calibscope.diagnosis.linear.uncertainty import (
    Form,
    Noise,
    Scale,
    checked_form,
    checked_scale,
)
from calibscope.diagnosis.linear.uncertainty_measures import UncertaintyMeasures
from calibscope.diagnosis.propagate.consequences import (
    USUAL,
    Consequences,
    Materiality,
    consequences,
)
from calibscope.diagnosis.propagate.quantities import Answers
from calibscope.diagnosis.refit.comparison import contradicted
from calibscope.diagnosis.refit.known_profiles import known_ends
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.diagnosis.refit.profile import Profiles
from calibscope.diagnosis.refit.refit import Refit
from calibscope.diagnosis.refit.refits import Refits
from calibscope.diagnosis.settings import Method
from calibscope.diagnosis.summary import summary


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis(UncertaintyMeasures[float, int]):
    """How far a fit can be trusted: m quotes, p parameters.

    The decomposition is kept; the rest is computed on first use. Symbols: g are
    the fitted values, J their derivatives, W the weights, :math:`A = W^{1/2} J`, :math:`r = y - g`,
    :math:`e = W^{1/2} r`, and :math:`H_w` the hat matrix, with :math:`h_{kk}` on its diagonal.

    The mode decides which columns of A count, and hence p. "active": all but those of parameters
    at bounds that hold (`bounds`), which is the local estimator; "full": all that were fitted, as
    in the paper; "strict": those of parameters at no bound. Residuals are those of the parameters
    at no bound, so leaving a quote out (`deletion`) counts these in active mode, too.
    """

    refit: Refit | None = None  # to fit again, for refits
    second: Callable[[], Array] | None = None  # (m, p, p) second derivatives, when they are needed
    known_profiles: dict[Noise, Profiles] = field(init=False, default_factory=dict)  # by scale
    known_left_out: dict[str, LeaveOneOut | None] = field(  # at most one; None: it is out of reach
        init=False, default_factory=dict
    )

    def __repr__(self) -> str:
        raised = ", ".join(self.flags.raised) or "none"
        return f"Diagnosis({self.mode}: {self.summary} Flags: {raised})"

    def _number(self, value: ArrayLike) -> float:
        return float(np.asarray(value))

    def _count(self, value: ArrayLike) -> int:
        return int(np.asarray(value))

    def intervals(
        self,
        level: float | Sequence[float] = 0.95,
        scale: Noise | None = None,
        form: Form = "gauss_newton",
        method: Method | None = None,
    ) -> Intervals:
        r"""Confidence intervals of the parameters, with marks.

        By default from profiles: all t at which the fit with :math:`\theta_j = t` keeps

        .. math:: Q_j(t) \le Q_{\min}\,\bigl(1 + F_{1,m-p}/(m - p)\bigr)

        or, with known noise, :math:`Q_{\min} + \sigma^2 \chi^2_1` (Bates and Watts, 1988, section
        6.1). The quick alternative is the delta method,

        .. math:: \eta^{-1}\bigl(\eta(\hat\theta)
            \pm q\,|\eta'(\hat\theta)|\,\hat{se}(\hat\theta)\bigr), \qquad
            \eta = \log,\ \mathrm{arctanh}\ \text{or the identity}

        (paper, section on transformations and the delta method); q is Student's quantile with m - p
        degrees of freedom, for `mad` and for known noise the normal one. It takes the fit for
        straight: no mark and no flag tells where its intervals are too short. They are marked as
        contradicted where profiles of any level and scale are known, and cross the limit elsewhere;
        above the highest limit that they were walked to, nothing is known.

        Parameters
        ----------
        level : one, or several such as (0.5, 0.75, 0.95), which then come first
        scale : of the noise, as for `covariance`: "mse", a number such as 0.003, "bid_ask", ...
        form : of the delta method, as for `covariance`
        method : "profile" or "bootstrap" (parametric; Davison and Hinkley, 1997), by fitting again,
            or "delta"; None means that of the settings: profiles, unless said, if the fit can be
            repeated and no form is asked for

        Returns
        -------
        Intervals
            low and high ends, and marks
        """
        levels, scale = checked_levels(level), checked_scale(self.chosen_scale(scale))
        method = self._method(method, form)
        if method == "bootstrap":
            return self.refits.bootstrap(scale=scale).intervals(level)
        if method == "profile":
            return self._by_profile(levels, scale)
        found = UncertaintyMeasures.intervals(self, level, scale, form)  # super() knows no slots
        known = known_ends(self, levels, scale)
        if known is None:
            return found
        wrong = contradicted((found.low, found.high), known, self.problem.specs.profile)
        return replace(found, is_contradicted=wrong)

    def _method(self, method: Method | None, form: Form) -> Method:
        """The method that is asked for, that of the settings, or profiles if they can be had."""
        if method is None:
            method = self.settings.method
        if method is None:
            is_quick = self.refit is None or checked_form(form) != "gauss_newton"
            return "delta" if is_quick else "profile"
        if method not in get_args(Method):
            raise ValueError(f"method is {method!r}; {choose_from(get_args(Method), method)}")
        return method

    def _by_profile(self, levels: Array, scale: Noise) -> Intervals:
        """Profile intervals; what is walked anew keeps the levels that are known."""
        asked, known = np.atleast_1d(levels).tolist(), self.known_profiles.get(scale)
        if known is None or not set(asked) <= set(known.levels):
            more = () if known is None else known.levels
            known = self.refits.profiles(sorted({*asked, *more}), scale=scale)
        return known.intervals.at(asked[0] if levels.ndim == 0 else tuple(asked))

    def data_worth(self, candidates: CandidateQuotes | None = None) -> DataWorth:
        """Factors by which variances grow without each quote, or shrink with each candidate.

        Linear, not a refit: Var_(k)(theta_j) / Var(theta_j), with Var = diag (A^T A)^-1 at the
        parameters of the fit, and row k of A left out or added (Pázman, 1986).

        Parameters
        ----------
        candidates : quotes that the fit does not have; `cap_candidates` makes them for caps

        Returns
        -------
        DataWorth
            a factor per quote and parameter
        """
        return data_worth(self, candidates)

    @property
    def has_quantities(self) -> bool:
        """Whether the fitted model knows what follows from its parameters."""
        return isinstance(self.refit, Answers) and self.refit.has_quantities

    def consequences(
        self,
        horizons: ArrayLike | None = None,
        instruments: Sequence[Any] = (),
        level: float = 0.95,
        scale: Noise | None = None,
        form: Form = "gauss_newton",
        replicates: ArrayLike | None = None,
        quantities: Quantities | None = None,
        materiality: Materiality = USUAL,
    ) -> Consequences:
        """What the uncertainty of the parameters means for numbers that follow from them.

        Of G2++: the spread of the short rate, the slope of the curve, and how likely negative rates
        and an inverted curve are at each horizon; and prices of instruments that were not quoted.

        The range over all fits with Q up to the limit of a profile at the level, min and max of
        z(theta) (Bates and Watts, 1988, section 6.1); beside it delta intervals, z(theta) +- q
        sqrt(grad z^T Cov grad z) on the quantity's own scale (paper, section on the delta method).

        Parameters
        ----------
        horizons : in years; None means those of the model
        instruments : `cs.Cap`, `cs.Floor`, `cs.BondOption`
        level : of the intervals, and of the limit up to which fits count as possible
        scale, form : as for `covariance`
        replicates : (n, p) parameters of a bootstrap, for its interval
        quantities : other numbers that follow from the parameters, instead of those above
        materiality : from where on two fits that are nearly as good count as different

        Returns
        -------
        Consequences
            values, intervals and marks, one per quantity
        """
        answers = self.refit if isinstance(self.refit, Answers) else None
        if quantities is None:
            if answers is None:
                raise ValueError("this fit defines no derived quantities; pass quantities=")
            quantities = answers.quantities(horizons, instruments)
        search = None if answers is None else answers.nearly_as_good
        scale = self.chosen_scale(scale)
        return consequences(self, quantities, search, replicates, level, scale, form, materiality)

    def bates_watts(self, level: float = 0.95, scale: Scale = "mse") -> BatesWatts:
        """Intrinsic and parameter-effects curvature, parameters at bounds held fixed.

        Gamma = max |d^T C d| over unit vectors d, C the relative curvature array (Bates and Watts,
        1980; 1988, chapter 7).

        Parameters
        ----------
        level : of the confidence region over which curvature matters
        scale : of the noise, as for `covariance`

        Returns
        -------
        BatesWatts
            curvatures, and whether they matter
        """
        if self.second is None:
            raise ValueError(
                "there are no second derivatives; give hessian= to diagnose_least_squares, "
                "and of many diagnoses take one"
            )
        tolerance = self.settings.rank_tolerance
        return bates_watts(self.problem, self.second(), self.scales, level, scale, tolerance)

    # By fitting again

    @property
    def refits(self) -> Refits:
        """Leave-one-out, bumps, bootstrap and robust fits: the truth behind first-order answers."""
        return Refits(self)

    # In words

    @property
    def summary(self) -> str:
        """One or two plain sentences, from the flags by the rules of `summary.py`."""
        return summary(self.flags, Facts(self))
