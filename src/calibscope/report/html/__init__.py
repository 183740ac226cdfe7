"""The report as one HTML file: what it says, and how it looks."""
