"""`Diagnosis`: what can be said about one fit without fitting again; `exact` fits again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, Indices
from calibscope.base.measures import Quantities
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.facts import Facts
from calibscope.diagnosis.flags import Flags
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.bates_watts import BatesWatts, bates_watts
from calibscope.diagnosis.linear.bounds import ActiveBounds
from calibscope.diagnosis.linear.curvature import Curvature, on_pairs
from calibscope.diagnosis.linear.data_worth import Candidates, DataWorth, data_worth
from calibscope.diagnosis.linear.deletion import Deletion
from calibscope.diagnosis.linear.delta import delta_intervals
from calibscope.diagnosis.linear.effective_degrees import EffectiveDegrees, edof_at
from calibscope.diagnosis.linear.functional import relative_error_bias
from calibscope.diagnosis.linear.geometry import Geometry
from calibscope.diagnosis.linear.identification import Identification, combinations
from calibscope.diagnosis.linear.influence import influence, influence_score
from calibscope.diagnosis.linear.intervals import Intervals, checked_levels
from calibscope.diagnosis.linear.optimality import relative_offset
from calibscope.diagnosis.linear.uncertainty import Form, Scale, Scales, checked_form, correlation
from calibscope.diagnosis.propagate.consequences import (
    USUAL,
    Consequences,
    Materiality,
    consequences,
)
from calibscope.diagnosis.propagate.quantities import Answers
from calibscope.diagnosis.refit.refit import Refit
from calibscope.diagnosis.refit.refits import Refits
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.diagnosis.summary import summary

Mode = Literal["active", "full", "strict"]
Method = Literal["delta", "profile", "bootstrap"]

MODES: tuple[str, ...] = get_args(Mode)
DEFAULT_MODE: Mode = "active"
DEFAULT_SCALE: Scale = "mad_adjusted"


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """How far a fit can be trusted: m quotes, p parameters.

    What needs a decomposition is kept, the rest is computed when it is asked for. Symbols: g are
    the fitted values, J their derivatives, W the weights, :math:`A = W^{1/2} J`, :math:`r = y - g`,
    :math:`e = W^{1/2} r`, and :math:`H_w` the hat matrix, with :math:`h_{kk}` on its diagonal.

    The mode says which columns of A count, and so what p is. "active": all but those of parameters
    at bounds that hold (`bounds`), which is the estimator as it is locally; "full": all that were
    fitted, as in the paper; "strict": those of parameters at no bound. Residuals are those of the
    parameters at no bound, so that what is left out (`deletion`) counts these in active mode, too.
    """

    problem: LeastSquares
    geometry: Geometry  # of the parameters that the mode does not hold fixed
    bounds: ActiveBounds  # the active ones: which of them decide the fit
    effective_degrees: EffectiveDegrees  # EDoF and its variants
    scales: Scales
    curvature: Curvature
    identification: Identification
    deletion: Deletion  # what leaving out each quote of the linearised fit would do
    flags: Flags
    mode: Mode
    settings: DiagnosisSettings
    refit: Refit | None = None  # to fit again, for refits
    second: Callable[[], Array] | None = None  # (m, p, p) second derivatives, when they are needed

    def __repr__(self) -> str:
        if self.problem.residuals.ndim > 1:
            return f"Diagnosis({self.mode}: a stack of {len(self.problem.residuals)} fits)"
        raised = ", ".join(self.flags.raised) or "none"
        return f"Diagnosis({self.mode}: {self.summary} Flags: {raised})"

    # Bounds

    @property
    def multipliers(self) -> Array:
        r"""(p,) of the active bounds: how fast the objective would fall beyond them, else 0.

        :math:`\mu_p = 2\,s_p D_p\,A_p^T (I - H_F)\,e`, by the scaled coordinate of the parameter
        (its logarithm, or itself), with F the parameters at no bound, s = -1 at a lower and 1 at an
        upper bound. None is negative at an optimum (Nocedal and Wright, 2006, section 12.3).
        """
        return self.bounds.multipliers

    @property
    def multiplier_ratios(self) -> Array:
        r"""(p,) multipliers in their standard errors; not a number for parameters at no bound.

        :math:`\mu_p / se(\mu_p)`, :math:`se(\mu_p) = 2 D_p\,\sigma_p\,\|(I - H_F) A_p\|`: the
        t-statistic of the parameter in the regression of e on the free columns and its own (Cook
        and Weisberg, 1982, section 2.3). Above 2 the bound holds; below, the parameter may lie
        there by chance. Infinite where nothing measures the noise.
        """
        return self.bounds.ratios

    @property
    def is_held(self) -> BoolArray:
        """(p,) parameters that the mode holds fixed at their bounds."""
        return np.asarray(self.problem.is_movable & ~self.geometry.is_active)

    # Geometry

    @property
    def leverage(self) -> Array:
        r"""(m,) diagonal of the hat matrix: 1 means that the fit must meet the quote.

        :math:`h_{kk} = \sum_j U_{kj}^2`, with :math:`A = U S V^T` (paper, eq. hat_matrix and the
        text below it).
        """
        return self.geometry.leverage

    @property
    def hat_matrix(self) -> Array:
        r"""(m, m) weighted hat matrix, the orthogonal projector on the columns of A.

        .. math:: H_w = W^{1/2} J\,(J^T W J)^+ J^T W^{1/2}

        Source: paper, eq. hat_matrix.
        """
        return self.geometry.hat_matrix

    @property
    def oblique_projector(self) -> Array:
        """(m, m) :math:`J (J^T W J)^+ J^T W`, on prices as they are; the same diagonal as H_w.

        Source: paper, section on the weighted hat matrix.
        """
        geometry, roots = self.geometry, self.problem.root_weights[..., None]
        own = self.problem.jacobian @ geometry.root_inverse
        # Where a quote has weight that is U over its root: no rounding of 1/s comes in.
        rows = np.divide(geometry.left, roots, out=own, where=roots > 0)
        return np.asarray(rows @ geometry.left.mT * roots.mT)

    @property
    def y_fitted(self) -> Array | None:
        """(m,) affine projection of the quotes on the tangent plane; None without quotes.

        :math:`g + J (J^T W J)^+ J^T W (y - g)` (paper, appendix on the hat matrix).
        """
        if self.problem.observed is None:
            return None
        fitted = self.problem.observed - self.problem.residuals
        step = self.sensitivity @ self.problem.residuals[..., None]
        return np.asarray(fitted + (self.problem.jacobian @ step)[..., 0])

    @property
    def relative_offset(self) -> float:
        """The share of the residuals that the parameters could still explain.

        :math:`|H_w e| / |e|` (Bates and Watts, 1981).
        """
        e = self.problem.weighted_residuals
        return _scalar(relative_offset(self.geometry.left, e))

    @property
    def edof(self) -> int:
        """Effective degrees of freedom: the trace of the hat matrix, an integer.

        trace(H_w) = rank(A), the number of singular values above the tolerance times the largest
        (paper, section on the weighted hat matrix).
        """
        return cast(int, self.effective_degrees.edof)

    def edof_at(self, tolerance: ArrayLike) -> Indices:
        """EDoF at other tolerances, from the same spectrum.

        How many s_j > tolerance * s_1 (paper, section on the weighted hat matrix).

        Parameters
        ----------
        tolerance : relative to the largest singular value, one or several

        Returns
        -------
        Indices
            of the shape of `tolerance`
        """
        return edof_at(self.singular_values, tolerance)

    @property
    def singular_values(self) -> Array:
        """(p,) of A, largest first; in `diagnose_least_squares` of A with columns of length 1.

        The S of A = U S V^T (Golub and Van Loan, 2013, section 2.4).
        """
        return self.geometry.singular_values

    @property
    def condition_number(self) -> float:
        """Largest over smallest singular value.

        :math:`s_1/s_p` (Golub and Van Loan, 2013, section 2.6).
        """
        return _scalar(self.geometry.condition_number)

    @property
    def condition_number_exact(self) -> float:
        r"""The same of the exact Hessian, on the free parameters: root of the ratio of eigenvalues.

        Infinite where a direction is lost or the Hessian is not positive definite.

        :math:`\sqrt{\lambda_1/\lambda_p}` of half the Hessian, which would be :math:`s_1/s_p`
        without curvature (Golub and Van Loan, 2013, section 2.6; paper, appendix on Gauss-Newton).
        """
        return _scalar(self.curvature.condition_number)

    # Influence

    @property
    def sensitivity(self) -> Array:
        """(p, m) derivative of the parameters by the quotes, weights fixed.

        :math:`(J^T W J)^+ J^T W` (paper, the second factor of eq. influence_function).
        """
        geometry, roots = self.geometry, self.problem.root_weights[..., None, :]
        return np.asarray(geometry.root_inverse @ geometry.left.mT * roots)

    @property
    def sensitivity_exact(self) -> Array:
        r"""(p, m) the same with the exact Hessian; parameters at active bounds do not move.

        :math:`(J^T W J + \tfrac12 \Delta_{GN})^{-1} J^T W`, by the implicit function theorem at J^T
        W r = 0 (paper, eq. influence_function and appendix on Gauss-Newton).
        """
        J, w = self.problem.jacobian, self.problem.weights[..., None, :]
        return np.asarray(self.curvature.exact_inverse @ J.mT * w)

    @property
    def influence(self) -> Array:
        r"""(m, p) influence function: residual times sensitivity.

        .. math:: IF_k = (y_k - g_k)\,(J^T W J)^+ J_k^T w_k

        Source: paper, eq. influence_function; Hampel (1974).
        """
        return influence(self.problem.residuals, self.sensitivity)

    @property
    def influence_exact(self) -> Array:
        r"""(m, p) influence function with the exact Hessian.

        :math:`r_k (J^T W J + \tfrac12 \Delta_{GN})^{-1} J_k^T w_k` (paper, eq. influence_function,
        with the Hessian of its appendix on Gauss-Newton).
        """
        return influence(self.problem.residuals, self.sensitivity_exact)

    @property
    def is_influence_doubtful(self) -> BoolArray:
        """(m, p) where the two forms disagree by more than 10 %: believe the exact one."""
        exact = self.influence_exact
        gap = np.abs(self.influence - exact)
        return np.asarray(~(gap <= self.settings.influence_disagreement * np.abs(exact)))

    @property
    def influence_score(self) -> Array:
        r"""(m,) Euclidean norm of the influence; it mixes the units of the parameters.

        :math:`\|IF_k\|` (paper, below eq. influence_function).
        """
        return influence_score(self.influence)

    @property
    def dfbeta(self) -> Array:
        r"""(m, p) parameters minus those without quote k, to first order.

        :math:`IF_k/(1 - h_{kk})`, on the parameters at no bound; in full mode on all of them
        (`deletion.py`; Belsley, Kuh and Welsch (1980), section 2.1).
        """
        return self.deletion.dfbeta

    @property
    def dfbetas(self) -> Array:
        """(m, p) `dfbeta` in standard deviations (statsmodels).

        dfbeta_kj / (s_(k) sqrt((A^T A)^-1_jj)), with s_(k) the scale without quote k (Belsley, Kuh
        and Welsch (1980), section 2.1).
        """
        return self.deletion.dfbetas

    @property
    def dffits(self) -> Array:
        r"""(m,) shift of the own fitted value in its deviations (statsmodels).

        :math:`t_k \sqrt{h_{kk}/(1 - h_{kk})}`, with :math:`t_k` the externally studentised residual
        (Belsley, Kuh and Welsch (1980), section 2.1).
        """
        return self.deletion.dffits

    @property
    def cooks_distance(self) -> Array:
        r"""(m,) how far quote k moves all parameters together (statsmodels).

        :math:`t_k^2\,h_{kk} / (p\,(1 - h_{kk}))`, with :math:`t_k` the internally studentised
        residual (Cook, 1977); p and h as for `dfbeta`.
        """
        return self.deletion.cooks_distance

    @property
    def cooks_distance_exact(self) -> Array:
        r"""(m,) the same of the shift that the exact Hessian predicts, on the free parameters.

        :math:`d_k^T A^T A\,d_k / (p\,\sigma^2)`, :math:`d_k = B^{-1} A_k^T e_k / (1 - A_k B^{-1}
        A_k^T)` with B half the Hessian and :math:`\sigma^2 = e^T e/(m - p)` (Cook, 1977; paper,
        appendix on Gauss-Newton). Not a number without a minimum: of the Hessian, or of the fit
        without the quote. The flag `has_influential_quote` goes by this form where it has one.
        """
        return self.deletion.cooks_distance_exact

    @property
    def resid_studentized_internal(self) -> Array:
        r"""(m,) residual over its deviation, with the scale of all quotes (statsmodels).

        :math:`t_k = e_k / (s \sqrt{1 - h_{kk}})` with h as for `dfbeta` (Belsley, Kuh and Welsch
        (1980), section 2.1; Cook and Weisberg, 1982).
        """
        return self.deletion.resid_studentized_internal

    @property
    def resid_studentized_external(self) -> Array:
        r"""(m,) residual over its deviation, with the scale of the other quotes (statsmodels).

        :math:`t_k = e_k / (s_{(k)} \sqrt{1 - h_{kk}})` with h as for `dfbeta` (Belsley, Kuh and
        Welsch (1980), section 2.1; Cook and Weisberg, 1982).
        """
        return self.deletion.resid_studentized_external

    def data_worth(self, candidates: Candidates | None = None) -> DataWorth:
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

    # Uncertainty

    @property
    def scale_mse(self) -> float:
        r"""Noise of the weighted residuals, from their squares and m - p.

        :math:`\sigma^2 = \sum_k e_k^2/(m - p)` (paper, section on parameter uncertainty).
        """
        return cast(float, self.scales.mse)

    @property
    def scale_mad(self) -> float:
        r"""Noise from the median absolute deviation (the paper's).

        :math:`\sigma = 1.4826\,\mathrm{median}_k\,|e_k - \mathrm{median}(e)|` (paper, section on
        parameter uncertainty).
        """
        return cast(float, self.scales.mad)

    @property
    def scale_mad_adjusted(self) -> float:
        r"""Noise from the median absolute deviation of :math:`e_k/\sqrt{1 - h_{kk}}`.

        The paper's scale after the correction for leverage of Belsley, Kuh and Welsch (1980),
        section 2.1: e_k / sqrt(1 - h_kk) have equal variances.
        """
        return cast(float, self.scales.mad_adjusted)

    @property
    def fisher_information(self) -> Array:
        r"""(p, p) information on the parameters; zero for those held fixed.

        :math:`J^T W J / \sigma^2` with `scale_mad_adjusted` (paper, section on parameter
        uncertainty).
        """
        return self._information(on_pairs(self.problem.gram, self.geometry.is_active))

    @property
    def fisher_information_exact(self) -> Array:
        r"""(p, p) half the exact Hessian over sigma^2, on the free parameters.

        :math:`(J^T W J + \tfrac12\Delta_{GN})/\sigma^2` (paper, section on parameter uncertainty
        and appendix on Gauss-Newton).
        """
        problem = self.problem
        second_order = np.nan if problem.second_order is None else problem.second_order
        return self._information(on_pairs(problem.gram + second_order, problem.is_free))

    def _information(self, curvature: Array) -> Array:
        variance = np.asarray(self.scales.mad_adjusted)[..., None, None] ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(curvature / variance)

    def covariance(self, scale: Scale = DEFAULT_SCALE, form: Form = "gauss_newton") -> Array:
        r"""(p, p) covariance of the parameters.

        .. math:: \widehat{Cov} = \sigma^2 (J^T W J)^+ \quad\text{or}\quad
            \sigma^2 \bigl(\tfrac12 \nabla^2 Q\bigr)^{-1}

        (paper, eq. cov; the second form with the Hessian of its appendix on Gauss-Newton). Zero for
        parameters held fixed, and along directions that were dropped: see `identification` before
        you read precision into it.

        Parameters
        ----------
        scale : "mad_adjusted", "mse", or "mad" (the paper's)
        form : "gauss_newton" (the paper's), or "exact", on the free parameters

        Returns
        -------
        Array
            (p, p) symmetric, positive semidefinite
        """
        return np.asarray(self.scales.of(scale)[..., None, None] ** 2 * self._inverse(form))

    def _inverse(self, form: Form) -> Array:
        plain, curved = self.geometry.inverse, self.curvature.exact_inverse
        return plain if checked_form(form) == "gauss_newton" else curved

    def standard_errors(self, scale: Scale = DEFAULT_SCALE, form: Form = "gauss_newton") -> Array:
        r"""(p,) square roots of the variances.

        :math:`\sqrt{Cov_{jj}}` (paper, eq. cov).

        Parameters
        ----------
        scale : of the noise: "mad_adjusted", "mse", or "mad" (the paper's)
        form : "gauss_newton" (the paper's), or "exact", on the free parameters

        Returns
        -------
        Array
            (p,)
        """
        variances = np.linalg.diagonal(self._inverse(form))
        return np.asarray(self.scales.of(scale)[..., None] * np.sqrt(variances))

    @property
    def correlation(self) -> Array:
        r"""(p, p) of the parameters; not a number for those without variance.

        :math:`Cov_{ij}/\sqrt{Cov_{ii}\,Cov_{jj}}` (paper, eq. cov).
        """
        return correlation(self.geometry.inverse)

    @property
    def correlation_exact(self) -> Array:
        r"""(p, p) of the free parameters, with the exact Hessian.

        :math:`Cov_{ij}/\sqrt{Cov_{ii}\,Cov_{jj}}`, with half the Hessian in place of J^T W J
        (paper, eq. cov).
        """
        return correlation(self.curvature.exact_inverse)

    def intervals(
        self,
        level: float | Sequence[float] = 0.95,
        scale: Scale = DEFAULT_SCALE,
        form: Form = "gauss_newton",
        method: Method = "delta",
    ) -> Intervals:
        r"""Confidence intervals of the parameters, with marks.

        .. math:: \eta^{-1}\bigl(\eta(\hat\theta)
            \pm q\,|\eta'(\hat\theta)|\,\hat{se}(\hat\theta)\bigr), \qquad
            \eta = \log,\ \mathrm{arctanh}\ \text{or the identity}

        by the delta method (paper, section on transformations and the delta method); q is Student's
        quantile with m - p degrees of freedom, for `mad` the normal one. Profiles: Bates and Watts
        (1988), section 6.1; bootstrap: Davison and Hinkley (1997).

        With a parameter at a bound, take "profile": the delta method gives that parameter no
        interval, and where the mode holds it, those of the others leave out its uncertainty.

        Parameters
        ----------
        level : one, or several such as (0.5, 0.75, 0.95), which then come first
        scale, form : as for `covariance`
        method : "delta"; or, by fitting again, "profile" (whose scale is always `mse`) or
            "bootstrap" (parametric)

        Returns
        -------
        Intervals
            low and high ends, and marks
        """
        levels = checked_levels(level)
        if method == "profile":
            found = self.refits.profiles(np.atleast_1d(levels).tolist()).intervals
            return found.at(float(levels) if levels.ndim == 0 else tuple(levels.tolist()))
        if method == "bootstrap":
            return self.refits.bootstrap(scale=scale).intervals(level)
        if method != "delta":
            raise ValueError(f"method is {method!r}; {choose_from(get_args(Method), method)}")
        errors, effective_degrees = (
            self.standard_errors(scale, form),
            self.scales.degrees_of_freedom,
        )
        return delta_intervals(
            self.problem,
            self.identification,
            errors,
            effective_degrees,
            levels,
            scale,
            form,
            self.problem.at_bound != 0 if form == "exact" else self.is_held,
            self.flags.is_perfect,
        )

    @property
    def unidentified_combinations(self) -> tuple[str, ...]:
        """Sentences on the directions along which nothing changes; empty at full rank."""
        return combinations(self.identification.directions, self.problem.specs)

    @property
    def has_quantities(self) -> bool:
        """Whether the fitted model knows what follows from its parameters."""
        return isinstance(self.refit, Answers) and self.refit.has_quantities

    def consequences(
        self,
        horizons: ArrayLike | None = None,
        instruments: Sequence[Any] = (),
        level: float = 0.95,
        scale: Scale = DEFAULT_SCALE,
        form: Form = "gauss_newton",
        replicates: ArrayLike | None = None,
        quantities: Quantities | None = None,
        materiality: Materiality = USUAL,
    ) -> Consequences:
        """What the uncertainty of the parameters means for numbers that follow from them.

        Of G2++: the spread of the short rate, the slope of the curve, and how likely negative rates
        and an inverted curve are at each horizon; and prices of instruments that were not quoted.

        Delta intervals of z(theta): z(theta) +- q sqrt(grad z^T Cov grad z) on the quantity's own
        scale (paper, section on the delta method).

        Parameters
        ----------
        horizons : in years; None means those of the model
        instruments : `cs.Cap`, `cs.Floor`, `cs.BondOption`
        level : of the intervals
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
        return consequences(self, quantities, search, replicates, level, scale, form, materiality)

    @property
    def relative_bias(self) -> float:
        """Relative bias of fitted prices, because relative errors aim below the mean.

        (1 + sigma^2)^-2 - 1, about -2 sigma^2 (Gneiting, 2011; paper, section on the equivalence
        with WLS), at the relative noise that `scale_mad_adjusted` means; not a number under weights
        other than c/y^2, which do not have it.
        """
        noise = self.scales.mad_adjusted / np.sqrt(self.problem.relative_weight)
        return _scalar(relative_error_bias(noise))

    # Second order

    @property
    def gauss_newton_ratio(self) -> float:
        r""":math:`\|\Delta_{GN}\|_F / \|2 J^T W J\|_F`, the paper's; blind to flat directions.

        :math:`\Delta_{GN} = -2 \sum_k w_k r_k \nabla^2 g_k` (paper, appendix on the adequacy of
        Gauss-Newton).
        """
        return cast(float, self.curvature.gauss_newton_ratio)

    @property
    def gauss_newton_error(self) -> float:
        """Largest |eigenvalue| of Delta_GN/2 relative to J^T W J on the free parameters.

        max |mu|, F^T (Delta_GN/2) F = E diag(mu) E^T with F F^T = (J^T W J)^+: the paper's ratio
        (appendix on Gauss-Newton) in the metric of the fit, which is ours.
        """
        return cast(float, self.curvature.largest_eigenvalue)

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


def _scalar(value: Array) -> float:
    """A number of one day as Python's own; of a stack, the array."""
    return cast(float, value.item() if np.ndim(value) == 0 else value)
