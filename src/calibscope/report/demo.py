"""What `calibscope demo` shows."""

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.market.demo import demo_day
from calibscope.models.g2.model import G2
from calibscope.report.terminal import priced_day


def demo_page() -> RenderableType:
    """The built-in synthetic day, priced and differentiated."""
    day = demo_day()
    model = G2(a_x=1.0, a_y=0.039, sigma_x=0.004, sigma_y=0.010, rho_xy=-0.6)
    title = (
        f"SYNTHETIC day {day.date}: {len(day.prices)} at-the-money caps, 6-month tenor, "
        "single curve.\nNo market data; parameters chosen by hand, not calibrated."
    )
    what_next = 'Your own quotes: see "The first five minutes" in the README.'
    return Group(priced_day(day, model, title), Text(f"\n{what_next}", style="bold"))
