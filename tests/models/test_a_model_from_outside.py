"""A model that calibscope has never heard of goes through everything, without an edit in `src`."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from ho_lee import Caplets, HoLee
from scipy.optimize import differential_evolution, least_squares

import calibscope as cs
from calibscope.base.parameters import ParameterSpec, Specs
from calibscope.base.transforms import Scale
from calibscope.models import model as registry
from calibscope.models.model import Model, Values
from calibscope.report.html.write_day import write_day
from calibscope.report.refits.answers import refit_answers

HERE = Path(__file__).parent
DATE = "2024-01-19"


@pytest.fixture(scope="module", autouse=True)
def registered():
    cs.register(HoLee)
    yield
    registry._REGISTERED.pop("ho-lee")


@pytest.fixture(scope="module")
def day():
    return cs.demo_market().day(DATE)


@pytest.fixture(scope="module")
def fit(day):
    return cs.calibrate(day, model="ho-lee")


@pytest.fixture(scope="module")
def dx(fit):
    return cs.diagnose(fit)


def test_the_page_shows_this_very_model():
    page = (HERE.parents[1] / "docs" / "architecture" / "add-a-model.md").read_text("utf-8")
    assert f"```python\n{(HERE / 'ho_lee.py').read_text('utf-8')}```\n" in page


def test_its_derivatives_are_right(day):
    at = np.array([0.012, 0.03])
    for b in (0.03, 0.0, -0.05):
        at[1] = b
        step = 1e-5 * np.array([0.01, 1.0])
        up, down = (HoLee.pricer(day).evaluate(at + sign * np.diag(step), 1) for sign in (1, -1))
        model = HoLee(*at)
        numeric = ((up.prices - down.prices) / (2 * step[:, None])).T
        np.testing.assert_allclose(model.jacobian(day), numeric, rtol=1e-7)
        numeric = np.moveaxis((up.jacobian - down.jacobian) / (2 * step[:, None, None]), 0, -1)
        np.testing.assert_allclose(model.hessian(day), numeric, rtol=2e-6, atol=1e-7)


def test_without_fading_it_is_hull_white_without_mean_reversion(day):
    ours, theirs = HoLee(0.01, 0.0).prices(day), cs.HullWhite(a=0.0, sigma=0.01).prices(day)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_calibrate_finds_the_global_optimum(fit, day):
    def objective(q):
        return fit.problem.objective([np.exp(q[0]), q[1]])

    bounds = [(np.log(1e-5), 0.0), (-0.2, 1.0)]
    rival = differential_evolution(objective, bounds, seed=1, tol=1e-12)
    assert fit.objective <= rival.fun * (1 + 1e-9)
    assert fit.status.name == "CONVERGED"
    assert fit.relative_offset < 1e-8
    assert "sigma=" in repr(fit)


@pytest.mark.parametrize("solver", ["newton", "lm", "gauss-newton", "bobyqa", "multistart"])
def test_every_solver_knows_it(day, fit, solver):
    other = cs.calibrate(day, solver, model="ho-lee")
    assert other.objective == pytest.approx(fit.objective, rel=1e-6)


def test_weights_bounds_fixed_and_anchor(day, fit):
    held = cs.calibrate(day, model="ho-lee", fixed={"fading": 0.0})
    assert held.parameters.fading == 0.0
    flat = cs.calibrate(day, model=cs.HullWhite, fixed={"a": 1e-8})
    assert held.parameters.sigma == pytest.approx(flat.parameters.sigma, rel=1e-6)
    bounded = cs.calibrate(day, model="ho-lee", bounds={"fading": (0.1, 1.0)})
    assert bounded.parameters.fading == 0.1
    assert bounded.status.name == "AT_BOUND"
    assert bounded.multipliers[1] > 0
    anchor = HoLee(0.02, 0.2)
    pulled = cs.calibrate(day, model="ho-lee", anchor=anchor, anchor_strength=1e6)
    np.testing.assert_allclose(pulled.parameters.values, anchor.values, rtol=1e-3)
    absolute = cs.calibrate(day, model="ho-lee", weights="absolute")
    assert absolute.rmsre > fit.rmsre
    with pytest.raises(ValueError, match="'a_x' is not a parameter; choose from sigma, fading"):
        cs.calibrate(day, model="ho-lee", bounds={"a_x": (0, 1)})
    with pytest.raises(TypeError, match="anchor is a G2; give a HoLee"):
        cs.calibrate(day, model="ho-lee", anchor=cs.G2(0.5, 0.05, 0.01, 0.01, -0.7))


def test_a_panel_is_its_days(day, fit):
    fits = cs.calibrate_many([day, cs.demo_market().day("2020-03-18")], model="ho-lee")
    np.testing.assert_allclose(fits.parameters[0], fit.parameters.values, rtol=1e-12)
    both = cs.diagnose_many(fits)
    np.testing.assert_allclose(both[0].leverage, cs.diagnose(fit).leverage, rtol=1e-9)


def test_evidence(fit):
    found = fit.evidence
    assert found.is_best
    assert fit.plausible.values.tolist() == fit.parameters.values.tolist()
    assert "the widest range is sigma from" in found.sentences[2]
    low, high = found.near_optimal.range_of("fading")
    assert low < fit.parameters.fading < high
    for p in range(2):
        for side in range(2):
            assert fit.problem.rmsre(found.near_optimal.extremes[p, side]) <= 1.1001 * fit.rmsre


def test_diagnosis_is_that_of_its_residuals_and_jacobian(dx, fit, day):
    same = cs.diagnose_least_squares(
        residuals=day.prices - fit.prices, jacobian=fit.parameters.jacobian(day),
        hessian=fit.parameters.hessian(day), weights=day.prices**-2.0, names=("sigma", "fading"),
        values=fit.parameters.values, bounds=(fit.problem.lower, fit.problem.upper),
        transforms=("log", "identity"), observed=day.prices, labels=dx.problem.labels,
    )  # fmt: skip
    assert dx.edof == same.edof == 2
    for name in ("leverage", "cooks_distance", "influence", "dfbetas"):
        np.testing.assert_allclose(getattr(dx, name), getattr(same, name), rtol=1e-9)
    with pytest.raises(ValueError, match="ho-lee defines no derived quantities"):
        dx.consequences(horizons=(1, 10))


def test_leave_one_out_is_a_fit_without_the_quote(dx, day):
    found = dx.refits.leave_one_out()
    for k in (0, 12):
        weights = day.prices**-2.0
        weights[k] = 0.0
        without = cs.calibrate(day, model="ho-lee", weights=weights)
        np.testing.assert_allclose(found.shifts.parameters[k], without.parameters.values, rtol=1e-6)


def test_profile_is_a_fit_with_the_parameter_held(dx, day):
    curve = dx.refits.profiles((0.95,), ["fading"]).curves[0]
    assert curve.low[-1] < dx.problem.values[1] < curve.high[-1]
    for i in (0, len(curve.values) // 2, len(curve.values) - 1):
        held = cs.calibrate(day, model="ho-lee", fixed={"fading": float(curve.values[i])})
        assert curve.objectives[i] == pytest.approx(held.objective, rel=1e-6)


def test_bootstrap_spreads_as_the_delta_method_says(dx):
    found = dx.refits.bootstrap(size=200)
    spread = np.log(found.parameters[:, 0]).std()
    expected = dx.standard_errors("mse")[0] / dx.problem.values[0]
    assert spread == pytest.approx(expected, rel=0.3)


def test_a_peer_agrees(fit, day):
    def residuals(q):
        return HoLee(np.exp(q[0]), q[1]).prices(day) / day.prices - 1

    peer = least_squares(residuals, [np.log(0.01), 0.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    np.testing.assert_allclose([np.exp(peer.x[0]), peer.x[1]], fit.parameters.values, rtol=1e-5)


def test_what_a_model_lacks_is_said(day):
    class Nameless(HoLee):
        name = "hull-white"

    with pytest.raises(ValueError, match="hull-white is a model of calibscope"):
        cs.register(Nameless)
    with pytest.raises(TypeError, match="expected a subclass of Model, got 'ho-lee'"):
        cs.register("ho-lee")

    class Unbounded(HoLee):
        name = "unbounded"
        specs = Specs((ParameterSpec("sigma", bounds=(0.0, np.inf), solver_scale=Scale("log")),))

    with pytest.raises(ValueError, match="sigma has no finite log at a bound or at its start"):
        cs.register(Unbounded)
    # By its class a model is taken as it is, whatever its name.
    assert cs.calibrate(day, model=Nameless).rmsre == cs.calibrate(day, model="ho-lee").rmsre


class Nowhere(HoLee):
    """A model that has no price."""

    name = "nowhere"

    @classmethod
    def pricer(cls, day):
        class Empty(Caplets):
            def evaluate(self, parameters, order, threads=1):
                return Values(*(np.nan * part for part in super().evaluate(parameters, order)))

        return Empty(day)


def test_a_model_without_prices_is_told_so(day):
    with pytest.raises(ValueError, match="the model has no finite price at any start"):
        cs.calibrate(day, model=Nowhere)


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_units_do_not_matter(day, factor):
    """The same model with its second parameter in other units, without bounds on it."""

    class Rescaled(HoLee):
        name = f"rescaled {factor}"
        specs = Specs(
            (HoLee.specs.parameters[0], ParameterSpec("fading", start=0.05 * factor)),
            quotes="quotes", outputs="prices",
        )  # fmt: skip

        @classmethod
        def pricer(cls, day):
            class Other(Caplets):
                def evaluate(self, parameters, order, threads=1):
                    scale = np.array([1.0, factor])
                    found = super().evaluate(parameters / scale, order)
                    hessian = found.hessian / scale / scale[:, None]
                    return Values(found.prices, found.jacobian / scale, hessian, found[3])

            return Other(day)

    fit, plain = cs.calibrate(day, model=Rescaled), cs.calibrate(day, model=HoLee)
    assert fit.rmsre == pytest.approx(plain.rmsre, rel=1e-9)
    theirs, ours = (each.evidence.near_optimal.range_of("fading") for each in (plain, fit))
    assert np.array(ours) / factor == pytest.approx(theirs, rel=0.02)


@dataclass(frozen=True)
class Flat(Model):
    """Ho-Lee with a constant volatility: one parameter."""

    name = "flat"
    title = "Flat"
    specs = Specs(HoLee.specs.parameters[:1], quotes="quotes", outputs="prices")

    sigma: float

    @classmethod
    def pricer(cls, day):
        class Own(Caplets):
            def evaluate(self, parameters, order, threads=1):
                full = np.column_stack((parameters, np.zeros(len(parameters))))
                found = super().evaluate(full, order)
                return Values(found.prices, found.jacobian[..., :1], found.hessian[..., :1, :1],
                              found.is_degenerate)  # fmt: skip

        return Own(day)


def test_one_parameter_is_enough(day, tmp_path):
    fit = cs.calibrate(day, model=Flat)
    held = cs.calibrate(day, model="ho-lee", fixed={"fading": 0.0})
    assert fit.rmsre == pytest.approx(held.rmsre, rel=1e-9)
    assert len(fit.evidence.local_minima.optima) == 1
    dx = cs.diagnose(fit)
    assert dx.summary.startswith("The parameter is identified")
    profile = dx.refits.profiles((0.95,)).curves[0]
    low, high = dx.intervals(0.95, method="delta").of("sigma")
    assert (profile.low[-1], profile.high[-1]) == pytest.approx((low, high), rel=0.05)
    page = write_day(fit, tmp_path / "day.html", "a market")
    assert "Flat fitted to 13 caps" in page.read_text("utf-8")


def test_its_page_has_every_figure(fit, tmp_path):
    page = write_day(fit, tmp_path / "day.html", "a market", refits=refit_answers(cs.diagnose(fit)))
    text = page.read_text("utf-8")
    assert "Ho-Lee fitted to 13 caps" in text
    assert "Is there another fit as good?" in text
    assert "negative rates" not in text  # it defines no derived quantities


WORKER = """
import sys
import numpy as np, calibscope as cs

def work(date):
    day = cs.demo_market().day(date)
    fit = cs.calibrate(day, model="ho-lee")
    return fit.parameters.values, cs.diagnose(fit).leverage

def main(date, folder):
    from distributed import Client
    days = cs.demo_market().days
    (place,) = (k for k, day in enumerate(days) if str(day.date) == date)
    market, chosen = cs.Market(days[place : place + 3]), {"calibration": {"model": "ho-lee"}}
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        here, there = work(date), client.submit(work, date).result()
        address = client.scheduler.address
        far = cs.run_study(market, f"{folder}/far.db", chosen, engine=address, profiles="all")
    near = cs.run_study(market, f"{folder}/near.db", chosen, profiles="all")
    assert all((a == b).all() for a, b in zip(here, there))
    assert set(far.days["model"]) == {"ho-lee"} and len(far.fitted) == 3
    assert far.runs["engine"].iloc[0] == address
    for table in ("quotes", "parameters", "intervals", "influence", "left_out", "profiles"):
        assert len(getattr(far, table)) and getattr(far, table).equals(getattr(near, table)), table
    print("same")

if __name__ == "__main__":
    main(*sys.argv[1:])
"""


def test_a_dask_worker_finds_it_by_its_entry_point(tmp_path):
    """In processes that never called `register`: a package on the path announces the model.

    One fit, and a study whose engine is the cluster.
    """
    info = tmp_path / "ho_lee-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ho-lee\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[calibscope.models]\nho-lee = ho_lee:HoLee\n")
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    path = os.pathsep.join([str(tmp_path), str(HERE), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, str(script), DATE, str(tmp_path)], capture_output=True, text=True,
        timeout=300, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert result.stdout == "same\n", result.stderr
