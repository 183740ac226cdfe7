"""Answers from fitting one day again: gathered once, for the terminal, for JSON and for pages."""
