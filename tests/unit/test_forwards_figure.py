"""The figure of forward rates: a question, units, one panel per scheme, the right numbers."""

import numpy as np
import pytest
from figures.forwards import forwards

import calibscope as cs


def test_forwards_of_a_flat_curve():
    curve = cs.DiscountCurve.from_zero_rates([0.5, 1, 2, 5, 10, 20, 30], [0.02] * 7)
    figure = forwards(curve, ["log-linear", "log-cubic", "paper"], note="SYNTHETIC")
    assert figure.layout.title.text.endswith("?")
    assert figure.layout.title.subtitle.text == "SYNTHETIC"
    assert figure.layout.yaxis.title.text == "forward rate, %"
    assert figure.layout.xaxis3.title.text == "time, years"
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert len(lines) == 3
    for line in lines:
        # e^(0.02/2) - 1 over half a year, to what the Svensson fit leaves.
        assert np.asarray(line.y) == pytest.approx(200 * np.expm1(0.01), abs=1e-6)
        assert (line.x[0], line.x[-1]) == (0, 30)
