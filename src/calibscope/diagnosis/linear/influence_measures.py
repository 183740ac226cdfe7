"""Influence: how quotes move parameters and fitted values, to first order."""

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.linear.influence import influence, influence_score
from calibscope.diagnosis.linear.leverage_measures import Count, LeverageMeasures, Number


class InfluenceMeasures(LeverageMeasures[Number, Count]):
    """What the quotes of a fit, or of each fit of a batch, do to it."""

    __slots__ = ()

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
