"""What follows from uncertain parameters: intervals, marks, and fits that look alike but differ.

2022-07-21 has lost rank and holds sigma_x at its bound; on 2024-06-06 rho_xy = -1, and a_x and
sigma_x can move together.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import logit, ndtr
from scipy.stats import chi2, f

import calibscope as cs
from calibscope.base.measures import PRICE, PROBABILITY, SPREAD
from calibscope.calibration.near_optimal.alternatives import Alternatives, alternatives
from calibscope.diagnosis.propagate.consequences import Materiality, consequences
from calibscope.models.g2.downstream import Downstream
from calibscope.models.g2.parameters import SPECS

scaled, unscaled = SPECS.coordinates.of, SPECS.coordinates.values

TRUTH = cs.G2(1.2, 0.08, 0.02, 0.011, -0.6)
INSTRUMENTS = (cs.Cap(11), cs.Floor(18, 0.01), cs.BondOption(5, 15))


@pytest.fixture(scope="module")
def fits():
    market = cs.demo_market()
    return {date: cs.calibrate(market.day(date)) for date in ("2022-07-21", "2024-06-06")}


@dataclass(frozen=True)
class Linear:
    """A theta on three scales: as it is, its exponential, its normal probability."""

    rows: np.ndarray
    labels: tuple[str, ...]
    measures: tuple

    def values(self, parameters):
        return self._shaped(parameters @ self.rows.T, 0)

    def gradients(self, parameters):
        return self._shaped(parameters @ self.rows.T, 1)[:, None] * self.rows

    def _shaped(self, eta, order):
        density = np.exp(-0.5 * eta**2) / np.sqrt(2 * np.pi)
        shapes = {
            "identity": (eta, np.ones_like(eta)),
            "log": (np.exp(eta), np.exp(eta)),
            "logit": (ndtr(eta), density),
        }
        picked = [shapes[measure.transform][order] for measure in self.measures]
        return np.stack([values[..., q] for q, values in enumerate(picked)], axis=-1)


def quantities(rows, measures):
    labels = tuple(f"q{i + 1}" for i in range(len(rows)))
    return Linear(np.array(rows, dtype=float), labels, tuple(measures))


def diagnosis(columns, values, **options):
    J = np.column_stack(columns)
    residuals = 0.01 * np.random.default_rng(2).standard_normal(len(J))
    return cs.diagnose_least_squares(residuals, J, values=values, **options)


X = np.linspace(-1, 1, 12)


# The delta method


def test_delta_intervals_are_those_of_the_formula():
    dx = diagnosis((np.ones(12), X), [0.4, -0.9])
    found = dx.consequences(quantities=quantities([[1, 2]] * 3, [SPREAD, PRICE, PROBABILITY]))
    error = np.sqrt(np.array([1, 2]) @ dx.covariance() @ np.array([1, 2]))
    t, eta = 2.2281388519649385, -1.4  # Student's t with ten degrees of freedom
    density = np.exp(-0.5 * eta**2) / np.sqrt(2 * np.pi)
    share = ndtr(eta)
    errors = [error, np.exp(eta) * error, density * error]
    assert found.standard_errors == pytest.approx(errors, rel=1e-12)
    step = t * density * error / (share * (1 - share))
    assert found.low[0] == pytest.approx(eta - t * error, rel=1e-9)
    assert np.log(found.high[1]) == pytest.approx(eta + t * error, rel=1e-9)
    assert logit(found.low[2]) == pytest.approx(logit(share) - step, rel=1e-9)
    assert found.marks == ("", "", "")
    assert found.summary == ""
    assert not found.has_near_optimal
    assert np.isnan(found.near_optimal_high).all()


def test_delta_intervals_are_those_of_a_bootstrap_where_the_model_is_nearly_linear():
    years = [*np.arange(1, 10, 0.5), *range(10, 31)]  # short ones identify a_x
    curve = cs.DiscountCurve.from_zero_rates([1, 5, 20, 60], [0.01, 0.015, 0.02, 0.02])
    rich = cs.MarketDay.from_arrays(curve=curve, maturities=years, vols=np.full(len(years), 0.008))
    day = cs.simulate_market(TRUTH, days=1, noise=1e-3, template=rich, seed=4).days[0]
    dx = cs.diagnose(cs.calibrate(day))
    assert dx.gauss_newton_error < 0.05
    rng, fitted = np.random.default_rng(8), dx.refit.predict(dx.problem.values)
    quotes = fitted * (1 + dx.scale_mad * rng.standard_normal((600, fitted.shape[1])))
    replicates = dx.refit.solve(quotes, dx.refit.weigh(quotes))
    found = dx.consequences((1, 10, 20), INSTRUMENTS, scale="mad", replicates=replicates)
    assert found.has_bootstrap
    assert not any(found.marks)
    # 600 replicates know a quantile at 2.5 % to a standard error of 6 % of the half width.
    half = 0.5 * (found.high - found.low)
    assert (np.abs(found.bootstrap_low - found.low) < 0.2 * half).all()
    assert (np.abs(found.bootstrap_high - found.high) < 0.2 * half).all()
    spread = dx.refit.quantities((1, 10, 20), INSTRUMENTS).values(replicates).std(axis=0)
    assert found.standard_errors == pytest.approx(spread, rel=0.1)


# Marks


def test_what_depends_on_a_dropped_direction_is_marked():
    dx = diagnosis((np.ones(12), X, X), [0.4, -0.9, 0.3])  # b2 and b3 do the same
    rows = [[0, 0, 1], [0, 1, 1], [1, 0.1, -0.1]]
    found = dx.consequences(quantities=quantities(rows, [SPREAD] * 3))
    assert found.marks == ("not identified", "", "collapsed (rank lost)")
    assert found.is_identified.tolist() == [False, True, True]
    assert found.summary == (
        "2 of 3 delta intervals mean little, because the quotes leave a combination of parameters "
        "open."
    )


def test_a_fit_that_lost_rank_says_so(fits):
    found = cs.diagnose(fits["2024-06-06"], "full").consequences(instruments=INSTRUMENTS)
    marks = dict(zip(found.labels, found.marks, strict=True))
    assert marks["sd of r(1Y)"] == "not identified, as if rho_xy could leave the bound"
    assert marks["P(inverted in 1Y)"].startswith("not identified")
    # A cap between two quoted ones is known, whatever a_x and sigma_x do together.
    assert marks["cap 11Y ATM"] == "as if rho_xy could leave the bound"
    doubtful = ~found.is_identified | found.is_collapsed
    assert f"{doubtful.sum()} of 23 delta intervals mean little" in found.summary


def test_a_fit_that_bends_says_so():
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2020-03-18")))
    found = dx.consequences((1,))
    assert found.has_strong_curvature
    assert found.summary.endswith("ignore that: prefer the range of possible fits.")


def test_what_the_mode_holds_at_its_bound_does_not_move(fits):
    for date, mode, name, p in (
        ("2022-07-21", "strict", "sigma_x", 2),
        ("2024-06-06", "strict", "rho_xy", 4),
        ("2024-06-06", "active", "rho_xy", 4),
    ):
        dx = cs.diagnose(fits[date], mode)
        found = dx.consequences((10,), (cs.Cap(11),))
        assert all(mark.endswith(f"{name} held at the bound") for mark in found.marks)
        G = dx.refit.quantities((10,), (cs.Cap(11),)).gradients(dx.problem.values)
        free = np.delete(np.arange(5), p)
        covariance = dx.covariance()[np.ix_(free, free)]
        errors = np.sqrt(np.einsum("qi,ij,qj->q", G[:, free], covariance, G[:, free]))
        assert found.standard_errors == pytest.approx(errors, rel=1e-12)


def test_without_noise_or_freedom_there_is_no_interval(fits):
    day = fits["2024-06-06"].problem.day
    exact = cs.diagnose(cs.calibrate(cs.simulate_market(TRUTH, days=1, noise=0.0).days[0]))
    found = exact.consequences((10,))
    assert found.high == pytest.approx(found.low, rel=1e-6)
    few = cs.diagnose(cs.calibrate(day.without([4, 6, 7, 8, 9, 12, 15, 20, 25])))
    found = few.consequences((10,))
    assert np.isnan(found.low).all()
    assert all(mark.startswith("no interval") for mark in found.marks)
    flat = diagnosis((np.ones(12), X), [0.4, -0.9], observed=np.ones(12))
    still = replace(flat, scales=replace(flat.scales, mse=0.0))
    assert still.consequences(quantities=quantities([[1, 0]], [SPREAD])).marks == ("no noise",)


def test_factors_that_cancel_have_no_interval():
    fit = cs.calibrate(
        cs.simulate_market(TRUTH, days=1).days[0],
        fixed={"a_x": 0.1, "a_y": 0.1, "sigma_x": 0.01, "sigma_y": 0.01, "rho_xy": -1.0},
    )
    found = cs.diagnose(fit).consequences((10,), (cs.Cap(11),))
    by_label = dict(zip(found.labels, found.marks, strict=True))
    assert by_label["sd of r(10Y)"] == "no interval"
    assert by_label["cap 11Y ATM"] == "no interval"


def test_a_probability_of_zero_has_no_interval():
    dx = diagnosis((np.ones(12), X), [-60.0, 0.0])
    found = dx.consequences(quantities=quantities([[1, 0]], [PROBABILITY]))
    assert found.estimates[0] == 0.0
    assert found.marks == ("no interval",)


# Fits that look alike


def read(points, materiality=None):
    dx = diagnosis((np.ones(12), X), [0.4, -0.9], names=("b", "c"))
    others = Alternatives(np.array(points, dtype=float), 1.1, "RMSRE")
    asked = quantities([[1, 1], [0, 1], [0.0006, 0]], [PROBABILITY, PRICE, SPREAD])
    return consequences(dx, asked, lambda *_: others, materiality=materiality or Materiality())


def test_fits_that_differ_are_named_with_their_numbers():
    found = read([[0.4, -0.9], [0.4, -1.57], [0.5, -1.0]])
    assert (found.contrast > 1).tolist() == [True, True, False]
    assert found.summary == (
        "Two fits that are possible at 95 % (RMSRE up to 10 % above the best) put q2 at "
        "20.8 % (b = 0.4, c = -1.57) and at "
        "40.7 % (b = 0.4, c = -0.9). "
        "Two fits that are possible at 95 % (RMSRE up to 10 % above the best) put q1 at "
        "12.1 % (b = 0.4, c = -1.57) and at "
        "30.9 % (b = 0.4, c = -0.9)."
    )
    assert found.near_optimal_low[0] == pytest.approx(ndtr(-1.17))
    assert found.near_optimal_high[0] == pytest.approx(ndtr(-0.5))


def test_fits_that_agree_are_called_so():
    agree = (
        "The fits that are known to be possible at 95 % (RMSRE up to 10 % above the best) agree on "
        "all 3 quantities."
    )
    assert read([[0.4, -0.9], [0.45, -0.95]]).summary == agree
    assert read([[0.4, -0.9]]).summary == agree
    strict = read([[0.4, -0.9], [0.45, -0.95]], Materiality(share=0.01))
    assert strict.summary.startswith(
        "Two fits that are possible at 95 % (RMSRE up to 10 % above the best) put q2 at"
    )
    lax = read([[0.4, -0.9], [0.4, -1.57]], Materiality(share=1.0, probability=0.2))
    assert lax.summary == agree


def test_the_named_fits_of_a_day_are_what_the_reading_says(fits):
    fit = fits["2024-06-06"]
    found = cs.diagnose(fit).consequences()
    q = found.labels.index("P(inverted in 1Y)")
    ends = [found.points[pick(found.point_values[:, q])] for pick in (np.argmin, np.argmax)]
    for point, share in zip(
        ends, (found.near_optimal_low[q], found.near_optimal_high[q]), strict=True
    ):
        assert fit.problem.rmsre(point) <= found.factor * fit.rmsre * (1 + 1e-6)
        assert f"at {100 * share:.3g} % (a_x = {point[0]:.3g}, " in found.summary
    assert found.near_optimal_high[q] - found.near_optimal_low[q] > 0.2
    assert found.factor == pytest.approx(np.sqrt(1.0 + f.ppf(0.95, 1, 8) / 8))
    assert found.summary.startswith("Two fits that are possible at 95 % (RMSRE up to 29 % above")
    assert (found.near_optimal_low <= found.estimates).all()
    assert (found.estimates <= found.near_optimal_high).all()


def test_alternatives_are_good_and_go_farther_than_the_ends_of_the_valley(fits):
    for fit in fits.values():
        asked = Downstream.of(fit.problem.day, (1, 10), (cs.BondOption(5, 15),))
        others = alternatives(fit.problem, fit.evidence, asked)
        errors = np.array([fit.problem.rmsre(point) for point in others.points])
        assert (errors <= others.factor * errors.min() * (1 + 1e-6)).all()
        assert (others.points == fit.parameters.values).all(axis=1).any()
        assert others.error == "RMSRE"
        ends = asked.values(fit.evidence.near_optimal.extremes.reshape(-1, 5))
        values = asked.values(others.points)
        assert (np.ptp(values, axis=0) >= np.ptp(ends, axis=0)).all()
    label = asked.labels.index("sd of slope in 10Y")  # on 2024-06-06
    assert np.ptp(values[:, label]) > 3 * np.ptp(ends[:, label])


def test_no_walk_through_the_valley_leaves_the_range(fits):
    fit = fits["2024-06-06"]
    asked = Downstream.of(fit.problem.day, (1, 10), (cs.Cap(35),))
    others = alternatives(fit.problem, fit.evidence, asked)
    rng, limit = np.random.default_rng(6), others.factor**2 * fit.objective
    steps, lower, upper = scaled(others.points), fit.problem.lower, fit.problem.upper
    spread = np.linalg.cholesky(np.cov(steps.T) + 1e-12 * np.eye(5))
    walked = []
    for place in steps:
        for size in 10.0 ** rng.uniform(-3, 0, 100):
            trial = np.clip(unscaled(place + size * spread @ rng.standard_normal(5)), lower, upper)
            if fit.problem.objective(trial) <= limit:
                place, _ = scaled(trial), walked.append(trial)
    seen, values = asked.values(np.array(walked)), asked.values(others.points)
    low, high = values.min(axis=0), values.max(axis=0)
    assert len(walked) > 300
    # Two percent: the search stops at a hundred-thousandth of what it knew at its start.
    assert (seen.min(axis=0) >= low - 0.02 * (high - low)).all()
    assert (seen.max(axis=0) <= high + 0.02 * (high - low)).all()


# The level


class Itself:
    """The first parameter, as a number that follows from the parameters."""

    labels, measures = ("a_x",), (SPREAD,)

    def values(self, parameters):
        return np.asarray(parameters)[:, :1]

    def gradients(self, parameters):
        return np.eye(5)[:1]


@pytest.mark.parametrize("scale", ["mse", 0.004])
def test_the_range_of_a_parameter_is_its_profile_interval(scale):
    """Two ways to the same ends: a walk with the parameter held, and SLSQP up to the limit."""
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2020-03-18")))
    lengths = []
    for level in (0.5, 0.95):
        found = dx.consequences(level=level, scale=scale, quantities=Itself())
        low, high = dx.intervals(level, scale).of("a_x")
        assert found.near_optimal_low[0] == pytest.approx(low, rel=5e-3)
        assert found.near_optimal_high[0] == pytest.approx(high, rel=5e-3)
        lengths.append(high - low)
    assert lengths[0] < lengths[1]


def test_known_noise_sets_the_limit_of_few_quotes(fits):
    day = fits["2024-06-06"].problem.day
    fit = cs.calibrate(day.without([4, 6, 7, 8, 9, 12, 15, 25]))  # five are left
    found = cs.diagnose(fit).consequences((10,), scale=0.003)
    limit = fit.objective + 0.003**2 * chi2.ppf(0.95, 1)
    assert found.has_near_optimal
    assert (fit.problem.objectives(found.points) <= limit * (1.0 + 1e-6)).all()
    assert fit.problem.objectives(found.points).max() > 0.9 * limit


# The entry point


def test_the_frame_has_a_row_per_quantity(fits):
    found = cs.diagnose(fits["2022-07-21"]).consequences((1, 10), INSTRUMENTS)
    frame = found.frame()
    assert frame.index.tolist() == list(found.labels)
    assert len(frame) == 2 * 5 + 3
    assert frame.loc["P(r(10Y) < 0)", "estimate"] == found.estimates[3]
    assert frame["mark"].tolist() == list(found.marks)
    assert frame["bootstrap_low"].isna().all()
    assert not found.has_bootstrap


def test_what_cannot_be_asked_for(fits):
    plain, g2 = diagnosis((np.ones(12), X), [0.4, -0.9]), cs.diagnose(fits["2022-07-21"])
    asked = quantities([[1, 0]], [SPREAD])
    for call, words in (
        (lambda: plain.consequences(), "pass quantities="),
        (lambda: diagnosis((np.ones(12), X), None).consequences(quantities=asked), "give values="),
        (lambda: plain.consequences(quantities=asked, level=(0.5, 0.95)), "give one number"),
        (lambda: plain.consequences(quantities=asked, level=1.5), "between 0 and 1"),
        (lambda: plain.consequences(quantities=asked, scale="median"), "choose from mse"),
        (lambda: g2.consequences(replicates=np.ones((100, 4))), r"give finite numbers, \(n, 5\)"),
        (lambda: g2.consequences(replicates=np.ones((39, 5))), "needs 40"),
        (lambda: g2.consequences((60,)), "needs the curve up to 70 years"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
