"""Elementary functions that the compiler can run on several numbers at once.

A caplet needs one exponential and two normal tails, an integrated variance needs
exponentials and their moments. The library versions are calls that stop the compiler from
vectorising the loop around them; these are straight arithmetic, accurate to a few units in
the last place, and they make the loop over caplets several times faster.

The coefficients are near-minimax, derived at 60 digits by
``tests/reference/derive_coefficients.py``, and a test compares them with that derivation.
"""

import numpy as np

from calibscope.base.compiled import compiled

LOG2_E = 1.4426950408889634
LN2_HIGH = 0.6931471803691238  # ends in zeros, so that k * LN2_HIGH is exact
LN2_LOW = 1.9082149292705877e-10
ROUND_TO_INTEGER = 6755399441055744.0  # 1.5 * 2**52: adding it leaves an integer in the low bits
SMALLEST_EXPONENT = -708.0  # below, exp leaves the range of normal doubles

# Mills ratio = NUMERATOR(x) / DENOMINATOR(x) on [0, inf), relative error 3e-17. All
# coefficients are positive, so nothing cancels.
NUMERATOR = (
    1451444.4311114256,
    2499061.9855821915,
    2124982.652489747,
    1156736.2462255775,
    442852.36404014286,
    124144.7612225787,
    25793.233161042903,
    3930.323590091473,
    422.47729594743475,
    29.18712338281613,
    1.0,
)
DENOMINATOR = (
    1158085.1024471046,
    2917981.1981237344,
    3444660.4458678523,
    2520398.854135845,
    1273312.2515818102,
    467810.6419772239,
    128016.71057984451,
    26213.710456788765,
    3959.510713476024,
    423.47729594742714,
    29.187123382816143,
    1.0,
)

# int_0^1 s^2 exp(-x s) ds on [0, 1], relative error 2e-18.
SECOND_MOMENT = (
    0.3333333333333333,
    -0.24999999999999994,
    0.09999999999999633,
    -0.027777777777696716,
    0.005952380951451848,
    -0.0010416666603226628,
    0.00015432095981334867,
    -1.984118781866989e-05,
    2.2545238941252523e-06,
    -2.2941300743531441e-07,
    2.0978324489668362e-08,
    -1.6526560537612073e-09,
    8.747639802755686e-11,
)


@compiled
def exponential(z: float) -> float:
    """exp(z) for z <= 0, accurate to one unit in the last place; 0 below exp(-708) = 3e-308.

    z = k ln 2 + r with integer k and abs(r) <= ln(2)/2, then the Taylor series of exp(r),
    scaled by 2**k through the bits of the exponent.
    """
    is_zero = z < SMALLEST_EXPONENT
    z = max(z, SMALLEST_EXPONENT)
    shifted = z * LOG2_E + ROUND_TO_INTEGER
    k = shifted - ROUND_TO_INTEGER
    r = (z - k * LN2_HIGH) - k * LN2_LOW
    tail = 1 / 6227020800.0
    tail = tail * r + 1 / 479001600.0
    tail = tail * r + 1 / 39916800.0
    tail = tail * r + 1 / 3628800.0
    tail = tail * r + 1 / 362880.0
    tail = tail * r + 1 / 40320.0
    tail = tail * r + 1 / 5040.0
    tail = tail * r + 1 / 720.0
    tail = tail * r + 1 / 120.0
    tail = tail * r + 1 / 24.0
    tail = tail * r + 1 / 6.0
    tail = tail * r + 1 / 2.0
    tail = tail * (r * r) + r
    scale = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return 0.0 if is_zero else scale + scale * tail


@compiled
def mills_ratio(x: float) -> float:
    """The normal tail over the normal density, (1 - Phi(x)) / phi(x), for 0 <= x < 1e25."""
    numerator = NUMERATOR[10]
    for n in range(9, -1, -1):
        numerator = numerator * x + NUMERATOR[n]
    denominator = DENOMINATOR[11]
    for n in range(10, -1, -1):
        denominator = denominator * x + DENOMINATOR[n]
    return numerator / denominator


@compiled
def decay_moments(x: float) -> tuple[float, float, float]:
    """M_n(x) = int_0^1 s^n exp(-x s) ds for n = 0, 1, 2 and any x >= 0.

    With f(x) = (1 - exp(-x))/x these are f, -f' and f''. Integration by parts gives
    M_0 = exp(-x) + x M_1 and 2 M_1 = exp(-x) + x M_2: sums of positive terms, so that
    starting from M_2 loses nothing near zero, where the printed forms lose every digit.
    From x = 1 on the same relations, read the other way, are harmless.
    """
    decayed = exponential(-x)
    second = SECOND_MOMENT[12]
    for n in range(11, -1, -1):
        second = second * x + SECOND_MOMENT[n]
    first = 0.5 * (decayed + x * second)
    zeroth = decayed + x * first

    inverse = 1.0 / x
    zeroth_far = (1.0 - decayed) * inverse
    first_far = (zeroth_far - decayed) * inverse
    second_far = (2.0 * first_far - decayed) * inverse
    is_near = x < 1.0
    return (
        zeroth if is_near else zeroth_far,
        first if is_near else first_far,
        second if is_near else second_far,
    )
