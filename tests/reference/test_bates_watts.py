"""Bates and Watts' curvatures against published numbers, a plain QR twin and the surface itself.

Published:

- Bates and Watts (1988), "Nonlinear Regression Analysis and Its Applications", table 7.2, p. 257:
  c and c sqrt(F) of the Michaelis-Menten model on the treated Puromycin data (data set 3 there) and
  of the exponential rise on the biochemical oxygen demand of 1967 (data set 11). Quoted from the
  tests of the R package `curve` (R-Forge, `tests/crv.R`), which hold that table's row as `r.BW`,
  and their own digits at the book's rounded parameters as `r.test`.
- R's MASS, help page of `rms.curv`: what it prints for the treated Puromycin data.
"""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy.optimize import least_squares

import calibscope as cs
from calibscope.base.parameters import ARCTANH
from calibscope.diagnosis.linear.bates_watts import largest, root_mean_square

# Treated Puromycin: substrate concentration (ppm) and velocity (counts/min^2); Treloar (1974).
CONCENTRATION = np.array([0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.10, 1.10])
VELOCITY = np.array([76.0, 47, 97, 107, 123, 139, 159, 152, 191, 201, 207, 200])
# Biochemical oxygen demand: time (days) and demand (mg/l); Marske (1967).
DAYS = np.array([1.0, 2, 3, 4, 5, 7])
DEMAND = np.array([8.3, 10.3, 19.0, 16.0, 15.6, 19.8])
INTERIOR, AT_SIGMA, AT_RHO = "2020-03-18", "2022-07-21", "2024-06-06"
MARKET = cs.demo_market()


def michaelis_menten(theta):
    """Fitted values, Jacobian and second derivatives of V x / (K + x)."""
    x, (V, K) = CONCENTRATION, theta
    H = np.zeros((len(x), 2, 2))
    H[:, 0, 1] = H[:, 1, 0] = -x / (K + x) ** 2
    H[:, 1, 1] = 2 * V * x / (K + x) ** 3
    return V * x / (K + x), np.column_stack((x / (K + x), -V * x / (K + x) ** 2)), H


def rise(theta):
    """Fitted values, Jacobian and second derivatives of a (1 - exp(-k t))."""
    t, (a, k) = DAYS, theta
    left = np.exp(-k * t)
    H = np.zeros((len(t), 2, 2))
    H[:, 0, 1] = H[:, 1, 0] = t * left
    H[:, 1, 1] = -a * t**2 * left
    return a * (1 - left), np.column_stack((1 - left, a * t * left)), H


def in_logarithms(model):
    """The same model in q = log theta."""

    def logarithmic(q):
        theta = np.exp(q)
        fitted, J, H = model(theta)
        own = np.eye(len(q)) * (J * theta)[:, None, :]
        return fitted, J * theta, H * np.outer(theta, theta) + own

    return logarithmic


def fitted(model, y, start, **wishes):
    found = least_squares(
        lambda theta: model(theta)[0] - y, start, lambda theta: model(theta)[1], xtol=1e-15,
        ftol=1e-15, gtol=1e-15, x_scale="jac",
    )  # fmt: skip
    return diagnosed(model, y, found.x, **wishes)


def diagnosed(model, y, theta, **wishes):
    g, J, H = model(np.array(theta))
    return cs.diagnose_least_squares(y - g, J, hessian=H, values=theta, **wishes)


def puromycin(**wishes):
    return fitted(michaelis_menten, VELOCITY, [205.0, 0.08], **wishes)


def by_qr(A, V, scale):
    """c of the parameter effects and intrinsic c, as in section 7.3.1 of the book."""
    p = A.shape[1]
    Q, R = np.linalg.qr(A, mode="complete")
    inverse = np.linalg.inv(R[:p])
    C = scale * np.sqrt(p) * np.tensordot(Q.T, inverse.T @ V @ inverse, 1)
    squares = 2 * np.sum(C**2, axis=(1, 2)) + np.trace(C, axis1=1, axis2=2) ** 2
    both = np.array([squares[:p].sum(), squares[p:].sum()])
    return np.sqrt(both / (p * (p + 2)))


# Published numbers


def test_puromycin_as_mass_prints_it():
    known = puromycin().bates_watts()
    assert round(known.parameter_effects.rms_at_level, 4) == 0.2121
    assert round(known.intrinsic.rms_at_level, 3) == 0.092
    assert known.is_nearly_linear


@pytest.mark.parametrize(
    ("model", "y", "theta", "book", "digits"),
    [
        (
            michaelis_menten, VELOCITY, [212.7, 0.0641],
            ("0.105", "0.045", "0.21", "0.09"),
            (0.1046988133, 0.04541991, 0.21207185, 0.091999935),
        ),
        (
            rise, DEMAND, [19.1430, 0.5311],
            ("1.328", "0.184", "3.5", "0.49"),
            (1.32781, 0.18440417, 3.4990419358, 0.485941626),
        ),
    ],
)  # fmt: skip
def test_table_7_2_of_bates_and_watts(model, y, theta, book, digits):
    known = diagnosed(model, y, theta).bates_watts()
    ours = (
        known.parameter_effects.rms, known.intrinsic.rms,
        known.parameter_effects.rms_at_level, known.intrinsic.rms_at_level,
    )  # fmt: skip
    assert ours == pytest.approx(digits, rel=1e-5)  # as many digits as were kept there
    for number, printed in zip(ours, book, strict=True):
        assert f"{number:.{len(printed) - 2}f}" == printed


def test_oxygen_demand_is_bent_by_its_parameters():
    known = fitted(rise, DEMAND, [20.0, 0.5]).bates_watts()
    assert known.has_strong_parameter_effects
    assert known.has_strong_intrinsic
    assert not known.is_nearly_linear


# The surface itself


def test_curvature_of_the_surface_by_differences():
    """Steps of 1e-15 on the surface at 60 digits, in 720 directions, with no formula of ours."""
    dx = puromycin()
    known = dx.bates_watts()
    with mpmath.workdps(60):
        V, K = map(mpmath.mpf, dx.problem.values.tolist())
        x = [mpmath.mpf(float(entry)) for entry in CONCENTRATION]
        A = mpmath.matrix([[each / (K + each), -V * each / (K + each) ** 2] for each in x])
        Q, R = mpmath.qr(A, mode="skinny")
        step, radius = mpmath.mpf("1e-15"), mpmath.mpf(dx.scale_mse) * mpmath.sqrt(2)

        def surface(way):
            move = mpmath.lu_solve(R, way)
            return mpmath.matrix([(V + move[0]) * each / (K + move[1] + each) for each in x])

        effects, intrinsic = [], []
        for angle in np.linspace(0.0, np.pi, 720, endpoint=False):
            way = mpmath.matrix([mpmath.cos(float(angle)), mpmath.sin(float(angle))]) * step
            second_order = (surface(way) - 2 * surface(0 * way) + surface(-way)) * (
                radius / step**2
            )
            inside = Q.T * second_order
            effects.append(float(mpmath.norm(inside)))
            intrinsic.append(float(mpmath.norm(second_order - Q * inside)))
    for seen, kind in ((effects, known.parameter_effects), (intrinsic, known.intrinsic)):
        # A polynomial of degree 4 in an angle is averaged exactly; a maximum is seen to steps^2.
        assert np.sqrt(np.mean(np.square(seen))) == pytest.approx(kind.rms, rel=1e-10)
        assert max(seen) == pytest.approx(kind.maximum, rel=1e-4)
        assert max(seen) <= kind.maximum * (1 + 1e-10)


@pytest.mark.parametrize("date", [INTERIOR, AT_SIGMA, AT_RHO])
def test_second_derivatives_of_caps_are_those_of_the_diagnosis(date):
    fit = cs.calibrate(MARKET.day(date))
    pulled = cs.calibrate(MARKET.day(date), anchor=fit.parameters, anchor_strength=0.01)
    for dx in (cs.diagnose(fit), cs.diagnose(pulled)):
        problem = dx.problem
        second_order = -np.einsum("k,kpq->pq", problem.weights * problem.residuals, dx.second())
        assert second_order == pytest.approx(problem.second_order, rel=1e-12)
        assert np.isfinite(dx.bates_watts().radius)


@pytest.mark.parametrize("date", [INTERIOR, AT_SIGMA])
def test_caps_by_qr(date):
    dx = cs.diagnose(cs.calibrate(MARKET.day(date)), mode="strict")
    problem, known = dx.problem, dx.bates_watts()
    free = np.flatnonzero(problem.is_free)
    V = problem.root_weights[:, None, None] * dx.second()
    effects, intrinsic = by_qr(problem.design[:, free], V[:, free][:, :, free], dx.scale_mse)
    # Directions are determined to 1e4 times rounding here.
    assert known.parameter_effects.rms == pytest.approx(effects, rel=1e-8)
    assert known.intrinsic.rms == pytest.approx(intrinsic, rel=1e-8)


# Laws


def test_intrinsic_curvature_does_not_depend_on_coordinates():
    theta = puromycin(transforms=["log", "log"]).bates_watts()
    q = fitted(in_logarithms(michaelis_menten), VELOCITY, np.log([205.0, 0.08])).bates_watts()
    for name in ("rms", "maximum"):
        was = [getattr(kind, name) for kind in (theta.intrinsic, theta.parameter_effects_scaled)]
        is_now = [getattr(kind, name) for kind in (q.intrinsic, q.parameter_effects)]
        assert is_now == pytest.approx(was, rel=1e-7)  # both optima are known to 1e-8
    assert theta.parameter_effects.rms != pytest.approx(theta.parameter_effects_scaled.rms, rel=0.1)


@pytest.mark.parametrize("date", [INTERIOR, AT_SIGMA])
def test_coordinates_of_caps(date):
    """G2++ in (log a, log sigma, arctanh rho), turned by hand."""
    dx = cs.diagnose(cs.calibrate(MARKET.day(date)), mode="strict")
    problem, known = dx.problem, dx.bates_watts()
    free = np.flatnonzero(problem.is_free)
    theta = problem.values[free]
    is_rho = problem.specs.codes[free] == ARCTANH
    first = np.where(is_rho, 1 - theta**2, theta)
    second = np.where(is_rho, -2 * theta * (1 - theta**2), theta)
    J = problem.jacobian[:, free]
    H = dx.second()[:, free][:, :, free] * np.outer(first, first)
    H = H + np.eye(len(free)) * (J * second)[:, None, :]
    turned = cs.diagnose_least_squares(
        problem.residuals, J * first, weights=problem.weights, hessian=H
    ).bates_watts()
    assert turned.intrinsic.rms == pytest.approx(known.intrinsic.rms, rel=1e-6)
    assert turned.parameter_effects.rms == pytest.approx(
        known.parameter_effects_scaled.rms, rel=1e-8
    )


def test_the_largest_curvature_is_not_beaten_by_random_directions():
    rng = np.random.default_rng(5)
    for _ in range(20):
        C = rng.normal(size=(8, 5, 5))
        C = C + C.mT
        d = rng.normal(size=(20_000, 5))
        d /= np.linalg.norm(d, axis=1)[:, None]
        lengths = np.linalg.norm(np.einsum("sa,nab,sb->sn", d, C, d), axis=1)
        assert lengths.max() <= largest(C)
        assert np.sqrt(np.mean(lengths**2)) == pytest.approx(root_mean_square(C), rel=0.03)


def test_a_linear_model_has_no_curvature():
    x = np.arange(6.0)
    J = np.column_stack((np.ones(6), x))
    dx = cs.diagnose_least_squares(np.sin(x), J, hessian=np.zeros((6, 2, 2)))
    known = dx.bates_watts()
    assert known.intrinsic.rms == known.intrinsic.maximum == known.parameter_effects.rms == 0.0
    assert known.is_nearly_linear
    assert known.mark == ""


def test_noise_and_level_set_the_size_of_the_region():
    dx = puromycin()
    usual, robust, wide = dx.bates_watts(), dx.bates_watts(scale="mad"), dx.bates_watts(0.99)
    assert robust.radius / usual.radius == pytest.approx(dx.scale_mad / dx.scale_mse)
    assert robust.intrinsic.rms / usual.intrinsic.rms == pytest.approx(dx.scale_mad / dx.scale_mse)
    assert wide.intrinsic.rms == usual.intrinsic.rms
    assert wide.intrinsic.rms_at_level > usual.intrinsic.rms_at_level


# Where it is not what it seems


def test_parameters_at_bounds_are_held():
    theta = [212.7, 0.0641]
    held = diagnosed(michaelis_menten, VELOCITY, theta, bounds={"b2": (0.0641, 1.0)}, mode="strict")
    g, J, H = michaelis_menten(theta)
    alone = cs.diagnose_least_squares(VELOCITY - g, J[:, :1], hessian=H[:, :1, :1])
    assert (held.bates_watts().rank, held.bates_watts().lost) == (1, 0)
    assert held.bates_watts().intrinsic == alone.bates_watts().intrinsic
    assert held.bates_watts().radius == pytest.approx(alone.bates_watts().radius)


def test_without_a_free_direction_there_is_nothing_to_bend():
    theta = [212.7, 0.0641]
    both = {"b1": (212.7, 300.0), "b2": (0.0641, 1.0)}
    known = diagnosed(michaelis_menten, VELOCITY, theta, bounds=both).bates_watts()
    assert (known.rank, known.mark) == (0, "no free direction")
    assert np.isnan(known.intrinsic.rms)


def test_lost_directions_are_left_out_and_marked():
    g, J, H = michaelis_menten([212.7, 0.0641])
    J3, H3 = np.column_stack((J, J[:, 0])), np.zeros((12, 3, 3))
    H3[:, :2, :2] = H
    known = cs.diagnose_least_squares(VELOCITY - g, J3, hessian=H3).bates_watts()
    assert (known.rank, known.lost, known.mark) == (2, 1, "on 2 of 3 directions")
    assert np.isfinite(known.intrinsic.rms)
    assert not known.is_nearly_linear


def test_without_noise_there_is_no_region():
    g, J, H = michaelis_menten([212.7, 0.0641])
    saturated = cs.diagnose_least_squares([1.0, -1.0], J[[0, 4]], hessian=H[[0, 4]]).bates_watts()
    perfect = cs.diagnose_least_squares(0 * g, J, hessian=H).bates_watts()
    assert (saturated.mark, perfect.mark) == ("no scale", "no noise")
    for known in (saturated, perfect):
        assert np.isnan([known.intrinsic.rms, known.parameter_effects_scaled.maximum]).all()
        assert not known.is_nearly_linear
        assert not known.has_strong_intrinsic
        assert not known.has_strong_parameter_effects


def test_a_panel_gives_the_same_as_a_day():
    fits = cs.calibrate_many(MARKET.between("2022-07-20", "2022-07-22"))
    for one, fit in zip(cs.diagnose_many(fits), fits, strict=True):
        assert one.bates_watts() == cs.diagnose(fit).bates_watts()


def test_errors_say_what_to_do():
    dx = puromycin()
    with pytest.raises(ValueError, match="hessian="):
        replace(dx, second=None).bates_watts()
    with pytest.raises(ValueError, match="between 0 and 1"):
        dx.bates_watts(level=95)
    with pytest.raises(ValueError, match="choose from"):
        dx.bates_watts(scale="mode")
