"""Sharing days among threads: each day exactly once, errors not lost."""

import threading

import pytest

from calibscope.base.threads import available_cores, share_days


@pytest.mark.parametrize("days", [0, 1, 24, 25, 60, 2157])
@pytest.mark.parametrize("threads", [None, 1, 2, 5, 64])
def test_every_day_is_worked_on_exactly_once(days, threads):
    worked = []
    share_days(lambda begin, end: worked.extend(range(begin, end)), days, threads)
    assert sorted(worked) == list(range(days))


def test_several_threads_take_part():
    """Two pieces that wait for each other can only end if two threads work at once."""
    meeting = threading.Barrier(2, timeout=30)
    waited = []

    def work(begin, end):
        if len(waited) < 2:
            waited.append(begin)
            meeting.wait()

    share_days(work, 1000, 2)
    assert len(waited) == 2


def test_an_error_in_any_piece_is_raised():
    def work(begin, end):
        if end == 1000:
            raise RuntimeError("the last piece failed")

    with pytest.raises(RuntimeError, match="last piece"):
        share_days(work, 1000, 3)


def test_no_threads_at_all_is_a_mistake():
    with pytest.raises(ValueError, match="threads is 0; use at least one"):
        share_days(lambda begin, end: None, 10, 0)


def test_cores():
    assert available_cores() >= 1
