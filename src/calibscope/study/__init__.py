"""Many days: histories, simulations, statistics."""
