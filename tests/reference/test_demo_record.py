"""The demo study as it was recorded: the net under every rearrangement of the code."""

import numpy as np
import pytest
from demo_record import PATH, machine, record, recorded_fits

import calibscope as cs


@pytest.fixture(scope="module")
def recorded():
    with np.load(PATH) as file:
        return dict(file)


def test_fits_are_as_recorded(recorded):
    fits = cs.calibrate_many(cs.demo_market())
    # An ulp in a price moves a flat parameter by up to 3e-6; the fit itself by far less.
    assert fits.rmsre == pytest.approx(recorded["rmsre"], rel=1e-9)
    assert np.mean([fit.status.name for fit in fits] != recorded["status"]) <= 1e-3


def test_diagnoses_at_the_recorded_parameters_are_as_recorded(recorded):
    """To the last digits where the record was made; elsewhere as far as rounding allows.

    An ulp in the parameters moves Cook's distances and DFBETAS of some days by 4e-8.
    """
    found = record(recorded_fits(recorded["parameters"]))
    is_same = str(recorded.pop("machine")) == machine()
    assert found.keys() == recorded.keys()
    # The rounding of a decomposition grows with the condition number.
    digits = 1e-12 + 1e-15 * np.minimum(recorded["condition number"], 1e7) if is_same else 1e-6
    for name, values in recorded.items():
        if values.dtype.kind != "f":
            differing = np.mean(found[name] != values)
            assert differing <= (0.0 if is_same else 1e-3), f"{name}: {differing:.2%} of days"
        elif is_same or name != "condition number":  # whose last digits are all rounding
            size = np.abs(values[:, 2]) if values.ndim == 2 else np.abs(values)
            gap = np.abs(found[name] - values).reshape(len(values), -1).max(axis=1)
            size = np.maximum(size, np.median(size)) if not is_same else size
            worst = int(np.argmax(gap - digits * size))
            assert (gap <= digits * size)[worst], f"{name} of day {worst}: {gap[worst]:.1e}"
