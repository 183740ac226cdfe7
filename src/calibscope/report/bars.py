"""Bars for the terminal, in eighths of a character."""

EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(share: float, width: int) -> str:
    """A bar of `share` (0 to 1) of the width; any share above 0 can be seen.

    >>> bar(0.5, 4), bar(0.3, 4), bar(0.0, 4)
    ('██', '█▎', '')
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    if share > 0:
        eighths = max(eighths, 1)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
