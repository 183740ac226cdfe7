"""The built-in synthetic Euro market: invented quotes, tied to a few public facts.

`anchors.py` holds the facts, `waypoints.py` what was invented between them; the other files make
daily curves and cap quotes from both. Nothing here was observed on the day it is dated.
"""
