"""How far a least-squares fit can be trusted: geometry, influence, uncertainty.

Everything but `diagnose.py`, the door for fits of G2++, knows residuals, Jacobians, weights, bounds
and names only. All array formulas take stacks: the day comes first, and one day is a stack of one.
"""
