r"""Least squares in the cone of covariance matrices: three unknowns, in a tenth of a microsecond.

The unknowns u = sigma_x^2, v = sigma_y^2 and w = 2 rho sigma_x sigma_y make a positive semidefinite
matrix [[u, w/2], [w/2, v]], and the sum of squares is |u x + v y + w d - target|^2. At nearby
speeds the columns x, y and d are nearly the same, so that their differences are used,

.. math:: u x + v y + w d = (u + v + w)\,x + (v + w/2)\,(y - x) + (w/2)\,(2 d - x - y).

Inside the cone that is a linear problem. On its boundary |rho| = 1 it is (u, v, w) = size (1, t^2,
2t): for each t the size is explicit, n(t)/l(t) with a quadratic n and a quartic l, and n^2/l is
largest where 2 n' l = n l', a quartic equation. Its root is found by Newton's method; the sign of
the multiplier tells the right one. Where that exceeds a bound on the volatilities, one of them is
at its bound: a linear problem in the other two unknowns or, on the boundary, a cubic equation.

Sources: the variance is the paper's (section 2.2), linear in these three; the cone and its solution
are ours.
"""

import math
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled

STARTS, SPARSE = 64, 4  # values of t in even angles; every fourth serves for a first guess
EVEN_STARTS = 1.0 + np.tan(math.pi * ((np.arange(STARTS) + 0.5) / STARTS - 0.5))  # of 1 + t
FAR_START = 1e4
FACE_STARTS = 8
MOST_ROOT_STEPS, MOST_BISECTIONS = 12, 60
SAME_ROOT = 1e-6  # Newton's last step squares it
LEAST_PIVOT = 1e-14
ROUNDING = 1e-14


class Products(NamedTuple):
    """Inner products of x, e = y - x, f = 2d - x - y and the target t: all that is needed."""

    xx: float
    xe: float
    xf: float
    ee: float
    ef: float
    ff: float
    xt: float
    et: float
    ft: float


@compiled
def cone_fit(design: Array, target: Array, m: int, largest: float, solution: Array) -> float:
    """Least squares in the cone, u and v up to `largest`: sigma_x, sigma_y, rho into `solution`.

    `design` holds the columns x, y and d as rows. Returns the sum of squares.
    """
    xx = xe = xf = ee = ef = ff = xt = et = ft = tt = 0.0
    for k in range(m):
        x, y, d, t = design[0, k], design[1, k], design[2, k], target[k]
        e, f = y - x, 2.0 * d - x - y
        xx, xe, xf, xt = xx + x * x, xe + x * e, xf + x * f, xt + x * t
        ee, ef, et = ee + e * e, ef + e * f, et + e * t
        ff, ft, tt = ff + f * f, ft + f * t, tt + t * t
    gain, _ = bounded_fit(Products(xx, xe, xf, ee, ef, ff, xt, et, ft), largest, 0.0, solution)
    return tt - gain


@compiled
def bounded_fit(
    products: Products, largest: float, start: float, solution: Array
) -> tuple[float, float]:
    """Least squares in the cone, u and v up to `largest`: sigma_x, sigma_y, rho into `solution`.

    Returns by how much the sum of squares is less than the target's own, and 1 + t on the boundary,
    from which a neighbouring problem may `start` (0: unknown).
    """
    gain, u, v, w, root = free_fit(products, start)
    if max(u, v) > largest:
        gain, v, w = face_fit(products, largest)
        other, other_u, other_w = face_fit(swapped(products), largest)
        u = largest
        if other > gain:
            gain, u, v, w = other, other_u, largest, other_w
    sigma_x, sigma_y = math.sqrt(u), math.sqrt(v)
    product = 2.0 * sigma_x * sigma_y
    solution[0], solution[1] = sigma_x, sigma_y
    rho = w / product if product > 0.0 else -1.0
    # On the boundary exactly: a correlation beside its bound would count as free to move.
    solution[2] = rho if abs(rho) < 1.0 - ROUNDING else math.copysign(1.0, rho)
    return gain, root


@compiled
def free_fit(products: Products, start: float) -> tuple[float, float, float, float, float]:
    """The same without bounds: the gain, u, v, w and 1 + t."""
    xx, xe, xf, ee, ef, ff, xt, et, ft = products
    share_e, share_f = xe / xx, xf / xx
    pivot = ee - share_e * xe
    cross = ef - share_f * xe
    last = (ff - share_f * xf) * pivot - cross * cross
    if pivot > LEAST_PIVOT * ee and last > LEAST_PIVOT * ff * pivot:
        rest = et - share_e * xt
        half_w = ((ft - share_f * xt) * pivot - cross * rest) / last
        second = (rest - cross * half_w) / pivot
        first = xt / xx - share_e * second - share_f * half_w
        v = second - half_w
        u = first - v - 2.0 * half_w
        if u > 0.0 and v > 0.0 and half_w * half_w <= u * v:
            return first * xt + second * et + half_w * ft, u, v, 2.0 * half_w, start
    # In r = 1 + t: size (r^2 x + (r^2 - r) e + (r - 1) f).
    n2, n1, n0 = xt + et, ft - et, -ft
    l4, l3 = xx + 2.0 * xe + ee, 2.0 * (xf + ef - xe - ee)
    l2, l1, l0 = ee - 2.0 * ef + ff - 2.0 * (xf + ef), 2.0 * (ef - ff), ff
    g4, g3 = n2 * l3 - 2.0 * n1 * l4, 2.0 * n2 * l2 - n1 * l3 - 4.0 * n0 * l4
    g2 = 3.0 * (n2 * l1 - n0 * l3)
    g1, g0 = 4.0 * n2 * l0 + n1 * l1 - 2.0 * n0 * l2, 2.0 * n1 * l0 - n0 * l1
    r = start if start != 0.0 else best_start(n2, n1, n0, l4, l3, l2, l1, l0)
    for _ in range(MOST_ROOT_STEPS):
        slope = ((4.0 * g4 * r + 3.0 * g3) * r + 2.0 * g2) * r + g1
        if not slope < 0.0:  # n^2/l is largest where its derivative falls through zero
            break
        step = -((((g4 * r + g3) * r + g2) * r + g1) * r + g0) / slope
        room = 0.3 * (abs(r) + 0.1)
        r += min(max(step, -room), room)
        if abs(step) > SAME_ROOT * abs(r) + 1e-9:
            continue
        n, length = (n2 * r + n1) * r + n0, (((l4 * r + l3) * r + l2) * r + l1) * r + l0
        size, p0, p1, p2 = n / length, r * r, r * r - r, r - 1.0
        # Into the cone, towards larger u and v, the sum of squares must not fall.
        inwards = 2.0 * (size * (xx * p0 + xe * p1 + xf * p2) - xt)
        inwards += size * (xe * p0 + ee * p1 + ef * p2) - et
        if not (n > 0.0 and inwards >= -1e-9 * abs(xt)):
            break
        return n * size, size, size * p2 * p2, 2.0 * size * p2, r
    # Newton's method went astray: every maximum between neighbouring starts, by bisection.
    best, chosen, low, low_slope = 0.0, 0.0, -FAR_START, 1.0
    for a in range(STARTS + 1):
        high = float(EVEN_STARTS[a]) if a < STARTS else FAR_START
        high_slope = (((g4 * high + g3) * high + g2) * high + g1) * high + g0
        if low_slope > 0.0 >= high_slope:
            left, right = low, high
            for _ in range(MOST_BISECTIONS):
                r = 0.5 * (left + right)
                if (((g4 * r + g3) * r + g2) * r + g1) * r + g0 > 0.0:
                    left = r
                else:
                    right = r
            n, length = (n2 * r + n1) * r + n0, (((l4 * r + l3) * r + l2) * r + l1) * r + l0
            if n > 0.0 and n * n > best * length:
                best, chosen = n * n / length, r
        low, low_slope = high, high_slope
    if best == 0.0:  # nothing is better than no variance at all
        return 0.0, 0.0, 0.0, 0.0, 0.0
    n = (n2 * chosen + n1) * chosen + n0
    size, t = best / n, chosen - 1.0
    return best, size, size * t * t, 2.0 * size * t, chosen


@compiled
def best_start(
    n2: float, n1: float, n0: float, l4: float, l3: float, l2: float, l1: float, l0: float
) -> float:
    """Where n^2/l is largest among a few values of r = 1 + t."""
    best, chosen = -1.0, 0.0
    for a in range(SPARSE // 2, STARTS, SPARSE):
        r = float(EVEN_STARTS[a])
        n, length = (n2 * r + n1) * r + n0, (((l4 * r + l3) * r + l2) * r + l1) * r + l0
        gain = n * n / length if n > 0.0 else 0.0
        if gain > best:
            best, chosen = gain, r
    return chosen


@compiled
def face_fit(products: Products, u: float) -> tuple[float, float, float]:
    """The best v <= u and w at a given u: the gain, v and w.

    With s = v + w and h = w/2 that is u x + s y + h (f - e).
    """
    xx, xe, xf, ee, ef, ff, xt, et, ft = products
    yy, yx, yz = xx + 2.0 * xe + ee, xx + xe, xf + ef - xe - ee
    zz, zx = ff - 2.0 * ef + ee, xf - xe
    y_rest, z_rest = xt + et - u * yx, ft - et - u * zx
    determinant = yy * zz - yz * yz
    if determinant > LEAST_PIVOT * yy * zz:
        s, h = (y_rest * zz - z_rest * yz) / determinant, (z_rest * yy - y_rest * yz) / determinant
        v = s - 2.0 * h
        if 0.0 < v <= u and h * h <= u * v:
            gain = u * (2.0 * xt - u * xx) + s * y_rest + h * z_rest
            return gain, v, 2.0 * h
    # v = u: one unknown, u (2x + e) + h (2x + e + f).
    dd = 4.0 * (xx + xe + xf) + ee + 2.0 * ef + ff
    dt, sum_t = 2.0 * xt + et + ft, 2.0 * xt + et
    sum_sum = 4.0 * (xx + xe) + ee
    d_sum = sum_sum + 2.0 * xf + ef
    h = min(max((dt - u * d_sum) / dd, -u), u)
    gain = u * (2.0 * sum_t - u * sum_sum) + h * (2.0 * (dt - u * d_sum) - h * dd)
    v, w = u, 2.0 * h
    # |rho| = 1: v = u t^2, w = 2 u t with |t| <= 1, a polynomial in r = 1 + t.
    n2, n1, n0 = xt + et, ft - et, -ft
    l4, l3 = yy, 2.0 * yz
    l2, l1, l0 = zz - 2.0 * (xf + ef), 2.0 * (ef - ff), ff
    r, best = 1.0, -np.inf
    for a in range(FACE_STARTS + 1):
        at = 2.0 * a / FACE_STARTS
        n, length = (n2 * at + n1) * at + n0, (((l4 * at + l3) * at + l2) * at + l1) * at + l0
        if u * (2.0 * n - u * length) > best:
            r, best = at, u * (2.0 * n - u * length)
    for _ in range(MOST_ROOT_STEPS):
        slope = 2.0 * (2.0 * n2 * r + n1) - u * (
            ((4.0 * l4 * r + 3.0 * l3) * r + 2.0 * l2) * r + l1
        )
        second_order = 4.0 * n2 - u * ((12.0 * l4 * r + 6.0 * l3) * r + 2.0 * l2)
        if not second_order < 0.0:
            break
        step = min(max(-slope / second_order, -0.25), 0.25)
        r = min(max(r + step, 0.0), 2.0)
        if abs(step) <= SAME_ROOT * r:
            break
    n, length = (n2 * r + n1) * r + n0, (((l4 * r + l3) * r + l2) * r + l1) * r + l0
    if u * (2.0 * n - u * length) > gain:
        gain, v, w = u * (2.0 * n - u * length), u * (r - 1.0) ** 2, 2.0 * u * (r - 1.0)
    return gain, v, w


@compiled
def swapped(products: Products) -> Products:
    """The same with the two factors the other way round."""
    xx, xe, xf, ee, ef, ff, xt, et, ft = products
    return Products(xx + 2.0 * xe + ee, -xe - ee, xf + ef, ee, -ef, ff, xt + et, -et, ft)
