"""TARGET days."""

import numpy as np

from calibscope.market.calendar import business_days, calendar_times, cap_dates, days_after


def test_holidays_and_weekends_are_left_out():
    days = business_days("2024-03-27", "2024-04-03")
    assert [str(day) for day in days] == ["2024-03-27", "2024-03-28", "2024-04-02", "2024-04-03"]
    assert [str(day) for day in days_after("2024-03-28", 2)] == ["2024-03-28", "2024-04-02"]


def test_caps_start_on_the_day_itself_and_roll_modified_following():
    # 2024-06-01 is a Saturday; 2024-12-01 a Sunday; 2024-08-31 to 2025-02-28 ends a month.
    assert [str(day) for day in cap_dates(np.datetime64("2024-06-01"), 6, 1)] == [
        "2024-06-01", "2024-12-02",
    ]  # fmt: skip
    many = cap_dates(np.array(["2024-08-31", "2023-12-31"], "datetime64[D]"), 6, 2)
    assert many.astype(str).tolist() == [
        ["2024-08-31", "2025-02-28", "2025-08-29"],
        ["2023-12-31", "2024-06-28", "2024-12-31"],
    ]


def test_times_are_near_whole_years_and_accruals_are_actual_over_360():
    times, accruals = calendar_times(np.datetime64("2024-06-03"), 3, 120)
    assert times[0] == 0
    assert np.abs(times - np.arange(121) / 4).max() < 0.02
    assert accruals.sum() * 360 == times[-1] * 365.25
