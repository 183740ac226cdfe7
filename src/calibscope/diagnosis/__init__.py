"""How far a least-squares fit can be trusted: geometry, influence, uncertainty, refits.

Everything but `diagnose.py` and `linear/cap_candidates.py`, the entry points for calibrated models,
knows residuals, Jacobians, weights, bounds and specs only. First-order formulas (`linear`) take one
fit, or a batch in which the fit comes first; what fits again (`refit`) takes one.
"""
