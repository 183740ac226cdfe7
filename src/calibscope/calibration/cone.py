r"""Least squares in the cone of covariance matrices: three unknowns, in a microsecond.

The unknowns u = sigma_x^2, v = sigma_y^2 and 2w = 2 rho sigma_x sigma_y make a positive
semidefinite matrix [[u, w], [w, v]]. Inside, that is a linear problem, solved by QR. On the
boundary |rho| = 1 it is (u, v, 2w) = size (cos^2, sin^2, 2 cos sin): for each angle the size is
explicit, and one angle is left to find. Beyond a bound on the volatilities, one of them is fixed.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled

ANGLES = 32
EVEN_ANGLES = np.arange(ANGLES) * (math.pi / ANGLES)
RAYS_U, RAYS_V, RAYS_W = (
    np.cos(EVEN_ANGLES) ** 2,
    np.sin(EVEN_ANGLES) ** 2,
    np.sin(2.0 * EVEN_ANGLES),
)
MOST_STEPS = 8


@compiled
def cone_fit(
    design: Array,
    target: Array,
    m: int,
    largest: float,
    refinements: int,
    heights: Array,
    solution: Array,
) -> float:
    """Least squares in the cone: sigma_x, sigma_y, rho into `solution`; the sum of squares.

    Modified Gram-Schmidt in place; R and Q'b are then all that is needed. `heights` is working
    memory for the angles.
    """
    r00 = r01 = r02 = r11 = r12 = r22 = 0.0
    c0 = c1 = c2 = total = 0.0
    for k in range(m):
        total += target[k] * target[k]
        r00 += design[0, k] * design[0, k]
    r00 = math.sqrt(r00)
    if not r00 > 0.0:
        return np.inf
    for k in range(m):
        design[0, k] /= r00
        r01 += design[0, k] * design[1, k]
        r02 += design[0, k] * design[2, k]
        c0 += design[0, k] * target[k]
    for k in range(m):
        design[1, k] -= r01 * design[0, k]
        design[2, k] -= r02 * design[0, k]
        r11 += design[1, k] * design[1, k]
    r11 = math.sqrt(r11)
    if r11 > 1e-14 * r00:
        for k in range(m):
            design[1, k] /= r11
            r12 += design[1, k] * design[2, k]
            c1 += design[1, k] * target[k]
        for k in range(m):
            design[2, k] -= r12 * design[1, k]
            r22 += design[2, k] * design[2, k]
        r22 = math.sqrt(r22)
        for k in range(m):
            c2 += design[2, k] * target[k]
        c2 = c2 / r22 if r22 > 0.0 else 0.0
    is_inside = False
    if r22 > 1e-13 * r00 and r11 > 1e-13 * r00:
        w = c2 / r22
        v = (c1 - r12 * w) / r11
        u = (c0 - r01 * v - r02 * w) / r00
        if u > 0.0 and v > 0.0 and w * w <= 4.0 * u * v:
            if max(u, v) <= largest:
                solution[0], solution[1] = math.sqrt(u), math.sqrt(v)
                solution[2] = 0.5 * w / (solution[0] * solution[1])
                return total - c0 * c0 - c1 * c1 - c2 * c2
            is_inside = True
    # The boundary: (u, v, 2w) = size (cos^2, sin^2, 2 cos sin), which covers rho = 1 and rho = -1.
    rest = total - c0 * c0 - c1 * c1 - c2 * c2
    for a in range(ANGLES):  # without branches, several angles at a time
        u, v, w = RAYS_U[a], RAYS_V[a], RAYS_W[a]
        d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
        length = d0 * d0 + d1 * d1 + d2 * d2
        size = min(max((d0 * c0 + d1 * c1 + d2 * c2) / length, 0.0), largest / max(u, v))
        heights[a] = (size * d0 - c0) ** 2 + (size * d1 - c1) ** 2 + (size * d2 - c2) ** 2
    chosen = 0
    for a in range(1, ANGLES):
        if heights[a] < heights[chosen]:
            chosen = a
    best, step = rest + float(heights[chosen]), math.pi / ANGLES
    low, angle, high = (chosen - 1) * step, chosen * step, (chosen + 1) * step
    for refinement in range(refinements):
        # A parabola through three angles; the interval shrinks around the best.
        third = 0.25 * (high - low)
        left, right = angle - third, angle + third
        f_left = on_boundary(left, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
        f_right = on_boundary(right, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
        bend = f_left - 2.0 * best + f_right
        guess = angle
        if bend > 0.0:
            guess = angle + 0.5 * third * (f_left - f_right) / bend
        f_guess = on_boundary(guess, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
        for x, f in ((left, f_left), (right, f_right), (guess, f_guess)):
            if f < best:
                best, angle = f, x
        width = max(abs(guess - angle), 0.125 * (high - low))
        low, high = angle - width, angle + width
        if refinement == 0 and refinements > 1:
            # Near enough for Newton's method, unless a bound on the volatilities interferes.
            guess = stationary_angle(angle, r00, r01, r02, r11, r12, r22, c0, c1, c2, largest)
            f = on_boundary(guess, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
            if low <= guess <= high and f <= best:
                best, angle = f, guess
                break
    cosine, sine = math.cos(angle), math.sin(angle)
    size = boundary_size(cosine, sine, r00, r01, r02, r11, r12, r22, c0, c1, c2, largest)
    root = math.sqrt(size)
    solution[0], solution[1] = root * abs(cosine), root * abs(sine)
    solution[2] = 1.0 if cosine * sine > 0.0 else -1.0
    if is_inside:
        # Beyond a bound on the volatilities, |rho| < 1: the faces u = largest and v = largest.
        for face in range(2):
            w = v = u = 0.0
            if face == 0:  # u fixed: two unknowns v, w
                b0 = c0 - r00 * largest
                n11, n12 = r01 * r01 + r11 * r11, r01 * r02 + r11 * r12
                n22 = r02 * r02 + r12 * r12 + r22 * r22
                g1, g2 = r01 * b0 + r11 * c1, r02 * b0 + r12 * c1 + r22 * c2
            else:  # v fixed: two unknowns u, w
                b0, b1 = c0 - r01 * largest, c1 - r11 * largest
                n11, n12 = r00 * r00, r00 * r02
                n22 = r02 * r02 + r12 * r12 + r22 * r22
                g1, g2 = r00 * b0, r02 * b0 + r12 * b1 + r22 * c2
            determinant = n11 * n22 - n12 * n12
            if not determinant > 0.0:
                continue
            other, w = (g1 * n22 - g2 * n12) / determinant, (g2 * n11 - g1 * n12) / determinant
            if not 0.0 < other <= largest or w * w > 4.0 * largest * other:
                continue
            u, v = (largest, other) if face == 0 else (other, largest)
            d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
            value = rest + (d0 - c0) ** 2 + (d1 - c1) ** 2 + (d2 - c2) ** 2
            if value < best:
                best = value
                solution[0], solution[1] = math.sqrt(u), math.sqrt(v)
                solution[2] = 0.5 * w / (solution[0] * solution[1])
    return best


@compiled
def boundary_size(
    cosine: float, sine: float, r00: float, r01: float, r02: float, r11: float, r12: float,
    r22: float, c0: float, c1: float, c2: float, largest: float,
) -> float:  # fmt: skip
    """Best size along one ray of the boundary, within the bound on the volatilities."""
    u, v, w = cosine * cosine, sine * sine, 2.0 * cosine * sine
    d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
    length = d0 * d0 + d1 * d1 + d2 * d2
    size = max((d0 * c0 + d1 * c1 + d2 * c2) / length, 0.0) if length > 0.0 else 0.0
    return min(size, largest / max(u, v))


@compiled
def on_boundary(
    angle: float, r00: float, r01: float, r02: float, r11: float, r12: float, r22: float,
    c0: float, c1: float, c2: float, rest: float, largest: float,
) -> float:  # fmt: skip
    """Sum of squares along one ray of the boundary, at its best size."""
    cosine, sine = math.cos(angle), math.sin(angle)
    size = boundary_size(cosine, sine, r00, r01, r02, r11, r12, r22, c0, c1, c2, largest)
    u, v, w = size * cosine * cosine, size * sine * sine, 2.0 * size * cosine * sine
    d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
    return rest + (d0 - c0) ** 2 + (d1 - c1) ** 2 + (d2 - c2) ** 2


@compiled
def stationary_angle(
    angle: float, r00: float, r01: float, r02: float, r11: float, r12: float, r22: float,
    c0: float, c1: float, c2: float, largest: float,
) -> float:  # fmt: skip
    """The angle near a given one where (d.c)^2 / d.d is largest, by Newton's method; nan if none.

    With n = d.c and l = d.d, that is 2 n' l = n l'.
    """
    for _ in range(MOST_STEPS):
        cosine, sine = math.cos(2.0 * angle), math.sin(2.0 * angle)
        u, v, w = 0.5 + 0.5 * cosine, 0.5 - 0.5 * cosine, sine
        d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
        # First and second derivatives of (u, v, w) by the angle.
        u, v, w = -sine, sine, 2.0 * cosine
        e0, e1, e2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
        u, v, w = -2.0 * cosine, 2.0 * cosine, -4.0 * sine
        f0, f1, f2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
        n, length = d0 * c0 + d1 * c1 + d2 * c2, d0 * d0 + d1 * d1 + d2 * d2
        n1, l1 = e0 * c0 + e1 * c1 + e2 * c2, 2.0 * (d0 * e0 + d1 * e1 + d2 * e2)
        n2 = f0 * c0 + f1 * c1 + f2 * c2
        l2 = 2.0 * (e0 * e0 + e1 * e1 + e2 * e2 + d0 * f0 + d1 * f1 + d2 * f2)
        slope = 2.0 * n2 * length + n1 * l1 - n * l2
        if not (slope < 0.0 and n > 0.0 and n * (0.5 + 0.5 * abs(cosine)) < largest * length):
            return np.nan
        step = (2.0 * n1 * length - n * l1) / slope
        angle -= step
        if abs(step) < 1e-14:
            break
    return angle
