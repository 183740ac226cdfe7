"""The terminal's entry point: one command a file, heavy modules imported inside the commands."""

import gc
import os

import click

from calibscope import __version__
from calibscope.cli.check import check
from calibscope.cli.command import EXIT_CODES
from calibscope.cli.day import day
from calibscope.cli.demo import demo
from calibscope.cli.export import export
from calibscope.cli.report import report
from calibscope.cli.robustness import robustness
from calibscope.cli.run import run
from calibscope.cli.serve import serve

# New objects after which Python looks for garbage. Importing the libraries makes half a million,
# and looking through them again and again, in vain, takes a quarter of a second.
CALM = 100_000


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(__version__, prog_name="calibscope")
def main() -> None:
    """Calibrate interest-rate models, and know how far to trust the result.

    Start with `calibscope demo`: it needs no data. Then `calibscope check` your own files,
    calibrate a `calibscope day`, and `calibscope run` the whole history.
    """
    gc.set_threshold(CALM)


for command in (demo, check, day, run, robustness, report, export, serve):
    main.add_command(command)

if "_CALIBSCOPE_COMPLETE" in os.environ:  # the shell asks, while somebody waits
    from calibscope.cli.completion import prepare_completion

    prepare_completion()
