"""How far a least-squares fit can be trusted: geometry, influence, uncertainty.

Everything but `diagnose.py`, the door for fits of G2++, knows residuals, Jacobians, weights, bounds
and names only. All formulas take one day, or a stack in which the day comes first.
"""
