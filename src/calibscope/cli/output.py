"""What a command says: a page for people, JSON for machines, or nothing."""

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from calibscope.report.document import Document
    from calibscope.report.progress import Report

# Tables keep their digits: a narrower terminal wraps lines instead.
NARROWEST = 80

# Of what --json prints; it grows when a key is renamed, moved or dropped, not when one is added.
# (1 is what version 0.2 printed, without saying so.)
SCHEMA_VERSION = 2


class Output:
    """Where results and news go."""

    def __init__(self, is_json: bool, is_quiet: bool) -> None:
        self.is_json = is_json
        self.is_quiet = is_quiet
        self._began = time.perf_counter()
        if is_quiet:
            logging.getLogger("calibscope").setLevel(logging.ERROR)

    @property
    def seconds(self) -> float:
        """Since the command began."""
        return time.perf_counter() - self._began

    def progress(self, what: str) -> "AbstractContextManager[Report]":
        """A bar on stderr, where somebody looks at it."""
        from calibscope.report.progress import progress_bar

        return progress_bar(what, self.is_quiet)

    def show(
        self, page: "Callable[[], RenderableType]", data: Callable[[], dict[str, Any]]
    ) -> None:
        """Print one of the two, or neither."""
        if self.is_json:
            from calibscope.report.plain import as_json

            click.echo(as_json({"schema_version": SCHEMA_VERSION, **data()}))
        elif not self.is_quiet:
            _print(page())

    def show_document(
        self,
        make: "Callable[[], Document]",
        data: Callable[[], dict[str, Any]],
        html: Path | None,
        screen: "Callable[[], Document] | None" = None,
    ) -> None:
        """Print a document, or write its page to a file; its blocks are a part of the data.

        Where there is a `screen`, people see that instead of the whole document.
        """
        from calibscope.report.render.as_data import as_data
        from calibscope.report.render.terminal import on_terminal

        document = cache(make)
        if html is not None:
            self._write(document, html)
        self.show(
            lambda: f"Page: {html}" if html else on_terminal((screen or document)()),
            lambda: {**data(), "document": as_data(document()), "page": html},
        )

    def _write(self, make: "Callable[[], Document]", html: Path) -> None:
        from calibscope.report.export.target import ExportError
        from calibscope.report.render.html import write_page

        try:
            with self.progress("writing the page") as progress:
                write_page(make, html, progress)
        except ExportError as error:
            raise click.ClickException(str(error)) from None


def _print(page: "RenderableType") -> None:
    from rich.console import Console

    if isinstance(page, str):  # a file's name stays in one piece
        click.echo(page)
        return
    console = Console()
    console.width = max(console.width, NARROWEST)
    console.print(page, crop=False)  # a file's name stays in one piece


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command, which it gets as its `output`."""

    @click.option("--json", "is_json", is_flag=True, help="Print the outcome as JSON.")
    @click.option("-q", "--quiet", "is_quiet", is_flag=True, help="Print only errors, and --json.")
    @wraps(command)
    def with_output(*, is_json: bool, is_quiet: bool, **others: Any) -> None:
        command(output=Output(is_json, is_quiet), **others)

    return with_output
