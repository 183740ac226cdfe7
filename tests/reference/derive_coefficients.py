"""Derive the coefficients of ``calibscope.models.elementary`` at 60 digits.

Run ``python tests/reference/derive_coefficients.py`` to print them; the test beside this file
checks that the source holds exactly these numbers.
"""

import mpmath as mp

DIGITS = 60


def mills_ratio(x: mp.mpf) -> mp.mpf:
    return mp.sqrt(mp.pi / 2) * mp.erfc(x / mp.sqrt(2)) * mp.exp(x * x / 2)


def second_moment(x: mp.mpf) -> mp.mpf:
    return (2 - mp.exp(-x) * ((x + 1) ** 2 + 1)) / x**3


def chebyshev_points(count: int) -> list[mp.mpf]:
    return [mp.cos((2 * k + 1) * mp.pi / (2 * count)) for k in range(count)]


def mills_coefficients(degree: int = 10, centre: int = 4) -> tuple[list[float], list[float]]:
    """The rational function of degrees (n, n + 1) through Chebyshev points of [0, inf).

    The half-line is mapped to [-1, 1] by t = (x - centre)/(x + centre).
    """
    with mp.workdps(DIGITS):
        count = 2 * degree + 2
        system, right = mp.matrix(count, count), mp.matrix(count, 1)
        for row, t in enumerate(chebyshev_points(count)):
            x = centre * (1 + t) / (1 - t)
            scale = min(mp.mpf(1), x ** -(degree + 1))
            for power in range(degree + 1):
                system[row, power] = scale * x**power
                system[row, degree + 1 + power] = -scale * mills_ratio(x) * x**power
            right[row] = scale * mills_ratio(x) * x ** (degree + 1)
        solution = [float(value) for value in mp.lu_solve(system, right)]
    return solution[: degree + 1], [*solution[degree + 1 :], 1.0]


def second_moment_coefficients(degree: int = 12) -> list[float]:
    """The polynomial through Chebyshev points of [0, 1]."""
    with mp.workdps(DIGITS):
        points = [(1 + t) / 2 for t in chebyshev_points(degree + 1)]
        system = mp.matrix([[x**power for power in range(degree + 1)] for x in points])
        values = mp.matrix([second_moment(x) for x in points])
        return [float(value) for value in mp.lu_solve(system, values)]


if __name__ == "__main__":
    numerator, denominator = mills_coefficients()
    for name, values in {
        "NUMERATOR": numerator,
        "DENOMINATOR": denominator,
        "SECOND_MOMENT": second_moment_coefficients(),
    }.items():
        print(f"{name} = (")
        for value in values:
            print(f"    {value!r},")
        print(")")
