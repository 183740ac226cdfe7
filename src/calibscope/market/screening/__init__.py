"""Wrong quotes, found by their past and their neighbours: time-series screening.

`screening.py` is the entry point and has the labels; `screen.py` and below are arrays: `history.py`
learns what to expect, `judge.py` compares the explanations of a day, `similarity.py` says what is
known of quotes before anything is seen.
"""
