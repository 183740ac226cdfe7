r"""What an option on two cash flows is to the pricing kernel, whatever the parameters.

With today's values of its flows, :math:`a` at expiry and :math:`b` later, a Gaussian model needs
:math:`L = |\log(a/b)|`, :math:`\sqrt{ab/2\pi}`, the smaller of the two, and what the option is
worth without any volatility (paper, section 2.2, where they are those of a caplet).
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array


class CapletTerms(NamedTuple):
    """What the kernel needs to know of the market for each caplet or floorlet."""

    log_moneyness: Array
    density_scale: Array
    smaller_leg: Array
    intrinsic: Array

    @classmethod
    def from_market(
        cls,
        reset_discount: Array,
        payment_discount: Array,
        accrual: Array,
        strike: Array,
        notional: float,
        sign: Array,
    ) -> "CapletTerms":
        """L = log(P(t_{i-1}) / ((1 + K delta) P(t_i))) and what goes with it.

        Near the money L is a small difference of large numbers, and a model with little
        variance magnifies its rounding (Sigma is 2e-7 in a corner of the bounds box). So the
        difference is formed in twice the working precision. `sign` is 1 for caplets, -1 for
        floorlets.
        """
        rate, rate_error = _product(strike, accrual)
        growth, growth_error = _sum(np.ones_like(rate), rate)
        fixed, fixed_error = _product(growth, payment_discount)
        fixed_error = fixed_error + (growth_error + rate_error) * payment_discount
        difference, difference_error = _sum(reset_discount, -fixed)
        forward_value = difference + (difference_error - fixed_error)

        return cls._from_legs(reset_discount, fixed, notional, sign, forward_value)

    @classmethod
    def from_flows(
        cls, amounts: Array, expiry_discount: Array, payment_discount: Array, notional: float
    ) -> "CapletTerms":
        """The same for any two cash flows, amounts (n, 2) at expiry and later, one of them paid."""
        at_expiry, first_error = _product(np.abs(amounts[:, 0]), expiry_discount)
        later, second_error = _product(np.abs(amounts[:, 1]), payment_discount)
        difference, error = _sum(at_expiry, -later)
        difference = difference + (error + first_error - second_error)
        return cls._from_legs(at_expiry, later, notional, np.sign(amounts[:, 0]), difference)

    @classmethod
    def joined(cls, parts: Iterable["CapletTerms"]) -> "CapletTerms":
        """One after the other, along the first axis."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    @classmethod
    def _from_legs(
        cls, at_expiry: Array, later: Array, notional: float, sign: Array, difference: Array
    ) -> "CapletTerms":
        """From today's values of the two flows, both positive, and their difference."""
        return cls(
            log_moneyness=np.abs(np.log1p(difference / later)),
            density_scale=notional * np.sqrt(at_expiry * later / (2 * np.pi)),
            smaller_leg=notional * np.minimum(at_expiry, later),
            intrinsic=notional * np.maximum(sign * difference, 0.0),
        )


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """A + b and its exact rounding error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _product(a: Array, b: Array) -> tuple[Array, Array]:
    """A * b and its exact rounding error (Dekker, with Veltkamp's splitting)."""
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _upper_half(a: Array) -> Array:
    scaled = 134217729.0 * a  # 2**27 + 1
    return scaled - (scaled - a)
