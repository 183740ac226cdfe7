"""How far a least-squares fit can be trusted: geometry, influence, uncertainty, exact refits.

Everything but `diagnose.py` and `cap_candidates.py`, the entry points for calibrated models, knows residuals,
Jacobians, weights, bounds and names only. First-order formulas take one day, or a stack in which
the day comes first; what fits again (`exact.py`) takes one day.
"""
