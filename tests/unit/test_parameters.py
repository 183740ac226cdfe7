"""Scales, specs, and Newton's method on them: each coordinate change is right, and there is one."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.base.parameters import ParameterSpec, Specs, bound_marks
from calibscope.base.transforms import FUNCTIONS, Coordinates, Scale
from calibscope.calibration.g2.objective import coordinate, rate
from calibscope.calibration.newton import derivatives, newton, tasks
from calibscope.calibration.problem import Problem, Task
from calibscope.models.g2.parameters import SPECS
from calibscope.models.model import Values

INSIDE = {"log": 0.3, "arctanh": -0.4, "arcsin": 0.6, "logit": 0.2, "identity": -1.7}


@pytest.mark.parametrize("transform", FUNCTIONS)
def test_derivatives_of_a_scale_are_those_of_its_inverse(transform):
    scale = Coordinates((Scale(transform),))
    x, step = np.array([INSIDE[transform]]), 1e-4
    q = scale.of(x)
    assert scale.values(q) == pytest.approx(x, rel=1e-14)
    up, down = scale.values(q + step), scale.values(q - step)
    assert scale.slopes(x) == pytest.approx((up - down) / (2 * step), rel=1e-7)
    assert scale.curvatures(x) == pytest.approx((up - 2 * x + down) / step**2, rel=1e-4, abs=1e-6)
    # What a delta interval does: straight on the scale, with the same slope at the start.
    assert Scale(transform).stepped(x, 1e-6) == pytest.approx(x + 1e-6, abs=1e-11)


def test_columns_keep_their_own_scales_and_shifts():
    scale = Coordinates((Scale("log", 0.01), Scale(), Scale("log"), Scale("arctanh")))
    points = np.array([[0.0, -3.0, 2.0, 0.5], [1.0, 4.0, 0.1, -0.9]])
    expected = [np.log(points[:, 0] + 0.01), points[:, 1], np.log(points[:, 2]),
                np.arctanh(points[:, 3])]  # fmt: skip
    np.testing.assert_allclose(scale.of(points), np.transpose(expected), rtol=1e-15)
    np.testing.assert_allclose(scale.values(scale.of(points)), points, rtol=1e-14, atol=1e-17)
    assert scale.is_log.tolist() == [True, False, True, False]


def test_the_compiled_solver_moves_parameters_on_the_scales_of_their_specs():
    point = np.array([0.4, 1e-5, 0.013, 0.2, -0.8])
    kernel = [coordinate(point, p) for p in range(5)]
    assert kernel == pytest.approx(SPECS.solver.of(point), rel=1e-15)
    assert [rate(point, p) for p in range(5)] == pytest.approx(SPECS.solver.slopes(point))


def test_a_bound_is_reached_to_the_last_bit():
    lower, upper = np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 1.0])
    values = np.array([0.0, np.nextafter(1.0, 0.0), 1.0])
    assert bound_marks(values, lower, upper).tolist() == [-1, 0, 0]


def test_a_wrong_name_is_answered_with_all_names():
    with pytest.raises(ValueError, match="'a_z' is not a parameter; choose from a_x, a_y, sig"):
        SPECS.place("a_z")


@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_gradient_and_hessian_are_those_of_the_objective(strength):
    day = cs.demo_market().day("2020-03-18")
    anchor = cs.G2(0.3, 0.05, 0.02, 0.01, -0.5)
    problem = Problem.of(day, anchor=anchor, anchor_strength=strength)
    point = np.array([0.6, 0.04, 0.015, 0.012, -0.8])
    scale, q, step = problem.specs.solver, problem.specs.solver.of(point), 1e-5

    def at(steps):
        points = scale.values(q + np.atleast_2d(steps))
        batch = tasks(problem.task, len(points))
        return derivatives(problem.specs, problem.pricer, batch, points)

    here, up, down = at(np.zeros(5)), at(step * np.eye(5)), at(-step * np.eye(5))
    assert here.objective[0] == pytest.approx(problem.objective(point), rel=1e-12)
    numeric = (up.objective - down.objective) / (4 * step)
    assert here.gradient[0] == pytest.approx(numeric, rel=1e-6)
    numeric = (up.gradient - down.gradient) / (2 * step)
    np.testing.assert_allclose(here.curvature[0], numeric, rtol=1e-6, atol=1e-8)


class Curve:
    """Fitted values of a made-up model with three parameters, one of each kind of scale."""

    x = np.linspace(0.1, 4.0, 12)

    def evaluate(self, parameters, order, threads=1):
        a, b, c = (column[:, None] for column in parameters.T)
        decay = np.exp(-b * self.x)
        values = a + 2.0 * decay + c * self.x * decay
        first = np.stack([np.ones_like(values), -self.x * (2.0 + c * self.x) * decay,
                          self.x * decay], axis=-1)  # fmt: skip
        second = np.zeros((*values.shape, 3, 3))
        second[..., 1, 1] = self.x**2 * (2.0 + c * self.x) * decay
        second[..., 1, 2] = second[..., 2, 1] = -(self.x**2) * decay
        return Values(values, first, second, np.zeros(values.shape, dtype=bool))


CURVE = Specs(
    (
        ParameterSpec("a", bounds=(-2.0, 2.0)),
        ParameterSpec("b", bounds=(1e-3, 10.0), solver_scale=Scale("log")),
        ParameterSpec("c", bounds=(-1.0, 1.0), solver_scale=Scale("identity")),
    )
)


@pytest.mark.parametrize("order", [1, 2])
def test_rows_of_a_batch_have_quotes_bounds_and_fixed_parameters_of_their_own(order):
    truths = np.array([[0.3, 0.7, 0.4], [-0.5, 2.0, -0.6], [0.3, 0.7, 0.4], [0.3, 0.7, 0.4]])
    quotes = Curve().evaluate(truths, 0).prices
    lower, upper = (np.tile(side, (4, 1)) for side in (CURVE.lower, CURVE.upper))
    upper[2, 0] = 0.1  # an active bound
    lower[3, 1] = upper[3, 1] = 1.0  # a fixed parameter
    none = np.zeros((4, 3))
    batch = Task(quotes, np.ones_like(quotes), lower, upper, none, none)
    found = newton(CURVE, Curve(), batch, np.tile([0.0, 1.0, 0.0], (4, 1)), order)
    np.testing.assert_allclose(found.points[:2], truths[:2], rtol=1e-8)
    assert found.points[2, 0] == 0.1
    assert found.points[3, 1] == 1.0
    for row in (2, 3):  # no neighbour inside the bounds is better
        nearby = found.points[row] * (1 + 1e-4 * np.random.default_rng(row).normal(size=(200, 3)))
        nearby = np.clip(nearby, lower[row], upper[row])
        others = ((Curve().evaluate(nearby, 0).prices - quotes[row]) ** 2).sum(axis=1)
        assert found.objectives[row] <= others.min() * (1 + 1e-9)
