"""Two metrics that calibscope does not have: one per quote, one per day."""

import calibscope as cs


def covariance_ratio(sample):
    """(n, m) generalised variance of the parameters without each quote, over that with all.

    COVRATIO of Belsley, Kuh and Welsch, Regression Diagnostics (1980), section 2.1.
    """
    own = sample.own
    m, p = own.problem.design.shape[-2], own.edof[:, None]
    spread = (m - p - own.resid_studentized_internal**2) / (m - p - 1)
    return spread**p / (1 - own.leverage)


COVARIANCE_RATIO = cs.Metric(
    "covariance_ratio", per="quote", unit="1", compute=covariance_ratio, amber=1e3, red=1e5,
    text="how much of the precision of the parameters the quote brings",
    phrase="without {at} the generalised variance would be {value:.0f} times as large",
)  # fmt: skip

MEAN_LEVERAGE = cs.Metric(
    "mean_leverage", per="day", unit="1", text="mean leverage of the quotes",
    compute=lambda sample: sample.own.leverage.mean(axis=-1), amber=0.384,
)  # fmt: skip
