r"""The factors of the paper's Jacobian and Hessian, caplet by caplet.

A price depends on the parameters through the integrated variances alone. So the derivative of a cap
is a sum of two factors, one from the market and one from the model (paper, eq.
jacobian_factorization and eq. hessian_caplet_factorized):

.. math::

    \frac{\partial\,\text{Cap}_k}{\partial p} = \sum_{i \in k} M_i\,
    \frac{\partial \Sigma_i^2}{\partial p}, \qquad
    M_i = \frac{\partial\,\text{Caplet}_i}{\partial \Sigma_i^2}
    = \frac{N P(t_{i-1})\,\varphi(h_{+,i})}{2 \Sigma_i}, \qquad
    M'_i = \frac{\partial M_i}{\partial \Sigma_i^2} = M_i\,\frac{h_{+,i} h_{-,i} - 1}{2 \Sigma_i^2}.

They show which caplets a cap's sensitivity is made of. For prices, Jacobians and Hessians take
`G2.prices`, `G2.jacobian` and `G2.hessian`, which are quicker.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, Indices, frozen
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.variance import integrated_variance


@dataclass(frozen=True, slots=True, eq=False)
class CapletSensitivities:
    """M_i, M'_i and the derivatives of Sigma_i^2 for the n caplets of a day, quote after quote."""

    quote: Indices  # (n,) place of the caplet's quote in the day
    reset: Array  # (n,) years, t_{i-1}
    payment: Array  # (n,) years, t_i
    variance: Array  # (n,) Sigma_i^2
    gradient: Array  # (n, 5) dSigma_i^2/dp
    hessian: Array  # (n, 5, 5) d2Sigma_i^2/dp dq
    M: Array  # (n,) zero where the variance is, as for a caplet that is fixed today
    dM: Array  # (n,) M'_i, likewise

    @classmethod
    def of(cls, parameters: Array, book: CapBook) -> "CapletSensitivities":
        r"""Those of one day's quotes.

        :math:`M_i = N P(t_{i-1})\,\varphi(h_{+,i})/(2 \Sigma_i)` and its derivative (paper, eq.
        factor_M).

        Parameters
        ----------
        parameters : (5,)
        book : of one day

        Returns
        -------
        CapletSensitivities
            one entry per caplet, quote after quote
        """
        counts = np.diff(book.caplets_of_cap)
        quote = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(quote)) - book.caplets_of_cap[quote]
        period = book.first_period[quote] + within
        reset, payment = book.reset[period], book.reset[period] + book.span[period]
        variance, gradient, hessian = integrated_variance(parameters, reset, payment)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # h+ h- = (L/Sigma)^2 - (Sigma/2)^2, and N P(t_{i-1}) phi(h+) = G (`caps.py`).
            squares = book.log_moneyness**2 / variance, variance / 4.0
            density = book.density_scale * np.exp(-0.5 * (squares[0] + squares[1]))
            M = density / (2.0 * np.sqrt(variance))
            dM = M * (squares[0] - squares[1] - 1.0) / (2.0 * variance)
        has_variance = variance > 0.0
        return cls(
            quote,
            frozen(reset),
            frozen(payment),
            frozen(variance),
            frozen(gradient),
            frozen(hessian),
            frozen(np.where(has_variance, M, 0.0)),
            frozen(np.where(has_variance, dM, 0.0)),
        )
