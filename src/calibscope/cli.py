"""The terminal's door. Heavy modules are imported inside the commands that need them."""

import click

from calibscope import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="calibscope")
def main() -> None:
    """Calibrate interest-rate models, and know how far to trust the result.

    Start with `calibscope demo`: it needs no data.
    """


@main.command()
def demo() -> None:
    """Price and differentiate one built-in synthetic day.

    Shows the G2++ prices of 13 at-the-money caps beside their (synthetic) quotes, how each price
    reacts to each parameter, and how well the exact derivatives predict a repricing.
    """
    from rich.console import Console

    from calibscope.market.demo import demo_day
    from calibscope.models.g2.caps import compile_kernels
    from calibscope.models.g2.model import G2
    from calibscope.report.terminal import priced_day

    console = Console()
    compile_kernels()
    day = demo_day()
    model = G2(a_x=1.0, a_y=0.039, sigma_x=0.004, sigma_y=0.010, rho_xy=-0.6)
    title = (
        f"SYNTHETIC day {day.date}: {len(day.prices)} at-the-money caps, 6-month tenor, "
        "single curve.\nNo market data; parameters chosen by hand, not calibrated."
    )
    console.print(priced_day(day, model, title))
