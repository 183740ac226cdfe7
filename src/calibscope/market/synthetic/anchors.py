"""Facts about the Euro market 2016-2025 that the synthetic market has to meet, with their sources.

These are the only numbers here that were observed. `tests/unit/test_demo_market.py` measures how
far the synthetic market is from each of them, and the figure of its history shows them as dots.
"""

from dataclasses import dataclass

ORE = "Open Source Risk Engine, example market data (BSD licence)"
APPROXIMATE = "approximate level, compiled from public examples and publications"

# Deposit facility rate of the ECB, percent, from its effective date on.
# Source: European Central Bank, key interest rates.
POLICY_RATES = (
    ("2016-03-16", -0.40), ("2019-09-18", -0.50), ("2022-07-27", 0.00), ("2022-09-14", 0.75),
    ("2022-11-02", 1.50), ("2022-12-21", 2.00), ("2023-02-08", 2.50), ("2023-03-22", 3.00),
    ("2023-05-10", 3.25), ("2023-06-21", 3.50), ("2023-08-02", 3.75), ("2023-09-20", 4.00),
    ("2024-06-12", 3.75), ("2024-09-18", 3.50), ("2024-10-23", 3.25), ("2024-12-18", 3.00),
    ("2025-02-05", 2.75), ("2025-03-12", 2.50), ("2025-04-23", 2.25), ("2025-06-11", 2.00),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RateLevel:
    """The 10-year OIS rate on a day; where only the month is known, the middle of the month."""

    date: str
    percent: float
    source: str = APPROXIMATE


@dataclass(frozen=True, slots=True)
class RateMean:
    """The mean of the 10-year OIS rate over a year (2016: September to December)."""

    year: int
    percent: float
    source: str = ORE


@dataclass(frozen=True, slots=True)
class RateVolatility:
    """The standard deviation of daily changes of the 10-year OIS rate is in a band."""

    first_year: int
    last_year: int
    low_bp: float
    high_bp: float
    source: str = APPROXIMATE


@dataclass(frozen=True, slots=True)
class VolLevels:
    """Flat normal vols of at-the-money caps on a day, by maturity in years."""

    date: str
    bp: dict[int, float]
    source: str = APPROXIMATE


TEN_YEAR_MEANS = (
    RateMean(2016, 0.29), RateMean(2017, 0.63), RateMean(2018, 0.79), RateMean(2019, 0.09),
)  # fmt: skip
TEN_YEAR_MINIMUM_2019 = -0.54  # percent; source as above

TEN_YEAR_LEVELS = (
    RateLevel("2020-11-16", -0.33), RateLevel("2020-12-31", -0.46), RateLevel("2021-06-15", -0.05),
    RateLevel("2021-12-31", 0.11), RateLevel("2022-12-30", 2.96), RateLevel("2023-01-16", 2.63),
    RateLevel("2023-12-29", 2.27), RateLevel("2024-06-14", 2.67), RateLevel("2024-12-31", 2.15),
    RateLevel("2025-02-14", 2.18),
)  # fmt: skip

TEN_YEAR_VOLATILITIES = (
    RateVolatility(2016, 2021, 2.0, 3.6),
    RateVolatility(2022, 2022, 7.0, 7.0),
    RateVolatility(2023, 2023, 6.4, 6.4),
    RateVolatility(2024, 2025, 4.3, 4.3),
)

# The level of February 2016 is before the first day and stands for it.
CAP_VOLS = (
    VolLevels("2016-09-01", {3: 34, 5: 48, 10: 63, 20: 63}, ORE + ", 2016-02"),
    VolLevels("2018-04-16", {3: 31, 5: 48, 10: 61, 20: 61, 30: 57}),
    VolLevels("2019-12-30", {3: 23, 5: 33, 10: 46, 20: 52, 30: 52}, ORE),
    VolLevels("2020-11-16", {3: 23, 5: 31, 10: 43, 20: 51, 30: 52}),
    VolLevels("2023-01-16", {3: 93, 5: 95, 10: 93, 20: 87, 30: 81}),
    VolLevels("2024-02-15", {3: 103, 5: 102, 10: 95, 20: 85, 30: 79}),
    VolLevels("2024-06-14", {3: 83, 5: 85, 10: 85, 20: 81, 30: 77}),
    VolLevels("2024-11-15", {3: 86, 5: 87, 10: 84, 20: 77, 30: 73}),
    VolLevels("2025-02-14", {3: 76, 5: 80, 10: 79, 20: 73, 30: 70}),
)

# Second half of 2022, 3-year caps, bp: a recollection without a source, for orientation only.
SHORT_VOL_LATE_2022 = (120.0, 150.0)


def anchor_dates() -> list[str]:
    """All days on which something is known."""
    return sorted({fact.date for fact in (*TEN_YEAR_LEVELS, *CAP_VOLS)})
