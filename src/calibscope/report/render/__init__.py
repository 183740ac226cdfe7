"""Documents for the terminal, as HTML, as JSON and for the live page."""
