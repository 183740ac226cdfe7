"""What all commands share: how they end, and that their help says so."""

from typing import Any

import click

from calibscope.base.errors import EntryPointError
from calibscope.cli.stopping import stoppable

TO_REVIEW = 3
STOPPED = 130
EXIT_CODES = (
    "Exit code: 0 done, 1 not possible (the message says why), 2 wrong usage, 3 completed "
    "with findings to review: check found something, day has no optimum, run has days without "
    "results; 130 stopped by Ctrl-C or SIGTERM."
)


class Command(click.Command):
    """A command whose help ends with the exit codes; signals stop it without a traceback."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.epilog = EXIT_CODES

    def invoke(self, context: click.Context) -> Any:
        """Run it."""
        try:
            with stoppable():
                return super().invoke(context)
        except EntryPointError as error:  # of a model or a metric, wherever it is asked for
            raise click.ClickException(str(error)) from None
        except KeyboardInterrupt as stop:
            click.echo(str(stop) or "Stopped.", err=True)
            context.exit(STOPPED)
