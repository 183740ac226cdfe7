"""Maturities as people write them."""

# Years that agree to this are the same maturity.
SAME_MATURITY = 1e-9


def label(years: float) -> str:
    """A maturity as people write it: 3Y, 18M, 2W, 1D."""
    months = 12 * years
    if abs(years - round(years)) < SAME_MATURITY:
        return f"{round(years)}Y"
    if abs(months - round(months)) < 1e-6:
        return f"{round(months)}M"
    days = 365 * years
    if abs(days - round(days)) < 1e-6:
        return f"{round(days / 7)}W" if round(days) % 7 == 0 else f"{round(days)}D"
    return f"{years:g}Y"
