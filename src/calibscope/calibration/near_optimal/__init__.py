"""Fits nearly as good as the best: local minima, the near-optimal set, plausible fits."""
