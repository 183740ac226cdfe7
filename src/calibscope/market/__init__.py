"""Quotes and curves: what the market says, checked."""
