"""Colours of RAG statuses, on pages and in workbooks.

From light to dark, so that their order is seen in grey too.
"""

RAGS = {"green": "#A9DCC6", "amber": "#E69F00", "red": "#8C1D18", "grey": "#E4E4E4"}
