"""Uncertainty: noise, covariance, delta intervals, and how far first order can be believed."""

from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array
from calibscope.diagnosis.linear.curvature import on_pairs
from calibscope.diagnosis.linear.delta import delta_intervals
from calibscope.diagnosis.linear.functional import relative_error_bias
from calibscope.diagnosis.linear.influence_measures import InfluenceMeasures
from calibscope.diagnosis.linear.intervals import Intervals, checked_levels
from calibscope.diagnosis.linear.leverage_measures import Count, Number
from calibscope.diagnosis.linear.uncertainty import (
    BID_ASK,
    Form,
    Noise,
    checked_form,
    correlation,
    noise_of,
    sandwich,
)


class UncertaintyMeasures(InfluenceMeasures[Number, Count]):
    """How uncertain the parameters of a fit, or of each fit of a batch, are."""

    __slots__ = ()

    @property
    def scale_mse(self) -> Number:
        r"""Noise of the weighted residuals, from their squares and m - p.

        :math:`\sigma^2 = \sum_k e_k^2/(m - p)` (paper, section on parameter uncertainty).
        """
        return self._number(self.scales.mse)

    @property
    def scale_mad(self) -> Number:
        r"""Noise from the median absolute deviation (the paper's).

        :math:`\sigma = 1.4826\,\mathrm{median}_k\,|e_k - \mathrm{median}(e)|` (paper, section on
        parameter uncertainty).
        """
        return self._number(self.scales.mad)

    @property
    def scale_mad_adjusted(self) -> Number:
        r"""Noise from the median absolute deviation of :math:`e_k/\sqrt{1 - h_{kk}}`.

        The paper's scale after the correction for leverage of Belsley, Kuh and Welsch (1980),
        section 2.1: e_k / sqrt(1 - h_kk) have equal variances.
        """
        return self._number(self.scales.mad_adjusted)

    def fisher_information(self, scale: Noise | None = None) -> Array:
        r"""(p, p) information on the parameters; zero for those held fixed.

        :math:`J^T W J / \sigma^2` (paper, section on parameter uncertainty). Its pseudo-inverse is
        `covariance` of the same scale, but for "bid_ask", which is its usual spread here.

        Parameters
        ----------
        scale : of the noise, as for `covariance`

        Returns
        -------
        Array
            (p, p) symmetric, positive semidefinite
        """
        gram = on_pairs(self.problem.gram, self.geometry.is_active)
        return self._information(gram, scale)

    def fisher_information_exact(self, scale: Noise | None = None) -> Array:
        r"""(p, p) half the exact Hessian over sigma^2, on the free parameters.

        :math:`(J^T W J + \tfrac12\Delta_{GN})/\sigma^2` (paper, section on parameter uncertainty
        and appendix on Gauss-Newton).

        Parameters
        ----------
        scale : of the noise, as for `covariance`

        Returns
        -------
        Array
            (p, p) symmetric
        """
        problem = self.problem
        second_order = np.nan if problem.second_order is None else problem.second_order
        return self._information(on_pairs(problem.gram + second_order, problem.is_free), scale)

    def _information(self, curvature: Array, scale: Noise | None) -> Array:
        variance = self.noise(scale)[..., None, None] ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(curvature / variance)

    def chosen_scale(self, scale: Noise | None) -> Noise:
        """The scale that is asked for; None means that of the settings, "mse" unless said.

        As in `noise` (paper, section on parameter uncertainty).

        Parameters
        ----------
        scale : or None

        Returns
        -------
        Noise
            a name, or a number
        """
        return self.settings.scale if scale is None else scale

    def noise(self, scale: Noise | None = None) -> Array:
        r"""Standard deviation of the weighted residuals that intervals rest on, one per fit.

        One of the three scales, a known number, or the root mean square of
        :math:`w_k^{1/2} s_k`, with half spreads s (paper, section on parameter uncertainty).

        Parameters
        ----------
        scale : "mse", "mad" (the paper's) or "mad_adjusted"; a number such as 0.003; "bid_ask";
            None means that of the settings, "mse" unless said

        Returns
        -------
        Array
            one number, or one per fit of a batch
        """
        return noise_of(self.problem, self.scales, self.chosen_scale(scale))

    def covariance(self, scale: Noise | None = None, form: Form = "gauss_newton") -> Array:
        r"""(p, p) covariance of the parameters.

        .. math:: \widehat{Cov} = \sigma^2 (J^T W J)^+ \quad\text{or}\quad
            \sigma^2 \bigl(\tfrac12 \nabla^2 Q\bigr)^{-1}

        (paper, eq. cov; the second form with the Hessian of its appendix on Gauss-Newton). Zero for
        parameters held fixed, and along directions that were dropped: see `identification` before
        you read precision into it.

        Parameters
        ----------
        scale : of the noise: "mse", "mad" (the paper's) or "mad_adjusted"; known, as a number such
            as 0.003; or "bid_ask", half of each quote's spread; None means that of the settings,
            "mse" unless said
        form : "gauss_newton" (the paper's), or "exact", on the free parameters

        Returns
        -------
        Array
            (p, p) symmetric, positive semidefinite
        """
        inverse = self._inverse(form)
        if self.chosen_scale(scale) == BID_ASK:
            return sandwich(self.problem, inverse)
        return np.asarray(self.noise(scale)[..., None, None] ** 2 * inverse)

    def _inverse(self, form: Form) -> Array:
        plain, curved = self.geometry.inverse, self.curvature.exact_inverse
        return plain if checked_form(form) == "gauss_newton" else curved

    def standard_errors(self, scale: Noise | None = None, form: Form = "gauss_newton") -> Array:
        r"""(p,) square roots of the variances.

        :math:`\sqrt{Cov_{jj}}` (paper, eq. cov).

        Parameters
        ----------
        scale, form : as for `covariance`

        Returns
        -------
        Array
            (p,)
        """
        if self.chosen_scale(scale) == BID_ASK:
            return np.asarray(np.sqrt(np.linalg.diagonal(self.covariance(scale, form))))
        variances = np.linalg.diagonal(self._inverse(form))
        return np.asarray(self.noise(scale)[..., None] * np.sqrt(variances))

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
        scale: Noise | None = None,
        form: Form = "gauss_newton",
    ) -> Intervals:
        """Confidence intervals by the delta method, with marks; see `Diagnosis.intervals`.

        Parameters
        ----------
        level : one, or several such as (0.5, 0.75, 0.95), which then come first
        scale, form : as for `covariance`

        Returns
        -------
        Intervals
            low and high ends, and marks
        """
        is_held = self.problem.at_bound != 0 if form == "exact" else self.is_held
        return delta_intervals(
            self.problem,
            self.identification,
            self.standard_errors(scale, form),
            self.scales.degrees_of_freedom,
            checked_levels(level),
            self.chosen_scale(scale),
            form,
            is_held,
            self.flags.is_perfect,
            self.settings,
        )

    @property
    def relative_bias(self) -> Number:
        """Relative bias of fitted prices, because relative errors aim below the mean.

        (1 + sigma^2)^-2 - 1, about -2 sigma^2 (Gneiting, 2011; paper, section on the equivalence
        with WLS), at the relative noise that `scale_mad_adjusted` means; not a number under weights
        other than c/y^2, which do not have it.
        """
        noise = self.scales.mad_adjusted / np.sqrt(self.problem.relative_weight)
        return self._number(relative_error_bias(noise))

    @property
    def gauss_newton_ratio(self) -> Number:
        r""":math:`\|\Delta_{GN}\|_F / \|2 J^T W J\|_F`, the paper's; blind to flat directions.

        :math:`\Delta_{GN} = -2 \sum_k w_k r_k \nabla^2 g_k` (paper, appendix on the adequacy of
        Gauss-Newton).
        """
        return self._number(self.curvature.gauss_newton_ratio)

    @property
    def gauss_newton_error(self) -> Number:
        """Largest |eigenvalue| of Delta_GN/2 relative to J^T W J on the free parameters.

        max |mu|, F^T (Delta_GN/2) F = E diag(mu) E^T with F F^T = (J^T W J)^+: the paper's ratio
        (appendix on Gauss-Newton) in the metric of the fit, which is ours.
        """
        return self._number(self.curvature.largest_eigenvalue)
