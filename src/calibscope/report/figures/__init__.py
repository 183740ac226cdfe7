"""Figures, one per file: each answers one question, which is its title."""
