"""The terminal's door. Heavy modules are imported inside the commands that need them."""

import click

from calibscope import __version__

# Tables keep their digits: a narrower terminal wraps lines instead.
NARROWEST = 80


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="calibscope")
def main() -> None:
    """Calibrate interest-rate models, and know how far to trust the result.

    Start with `calibscope demo`: it needs no data. Version 0.1 prices and differentiates;
    calibration comes next.
    """


@main.command()
def demo() -> None:
    """Price and differentiate one built-in synthetic day.

    Shows the G2++ prices of 13 at-the-money caps beside their (synthetic) quotes, how each price
    reacts to each parameter, and how well the exact derivatives predict a repricing.
    """
    from rich.console import Console

    from calibscope.models.g2.caps import compile_kernels
    from calibscope.report.demo import demo_page

    compile_kernels()
    console = Console()
    console.width = max(console.width, NARROWEST)
    console.print(demo_page())
