"""`calibscope serve`: a study as a live page."""

from pathlib import Path

import click

from calibscope.cli.command import Command
from calibscope.cli.files import FILE
from calibscope.cli.output import Output, output_options

LOCAL = "127.0.0.1"


@click.command(cls=Command)
@click.argument("store", type=FILE)
@click.option("--host", default=LOCAL, show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8050, show_default=True,
    help="0 takes any that is free.",
)  # fmt: skip
@click.option("--model", help="Of a study with several models, the one that is shown first.")
@output_options
def serve(store: Path, host: str, port: int, model: str | None, output: Output) -> None:
    """Ask a study "what if?", in a browser.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --store study.db
    calibscope serve study.db

    Choose a day, move or drop quotes, change weights, bounds or solver, and see the day calibrated
    again, beside what the influence function predicted. Every state has a link. The store is only
    read; a run may add days meanwhile. Ctrl-C ends it.

    The page is for this machine alone. With another --host, everybody who reaches that address can
    read the study: there is no password. It answers to addresses and to this machine's own name.
    """  # noqa: D301
    from calibscope.report.web.hosts import is_local
    from calibscope.report.web.serve import AddressError, make_server
    from calibscope.study.errors import StoreError

    try:
        server, address = make_server(store, host, port, model)
    except (StoreError, AddressError) as error:
        raise click.ClickException(str(error)) from None
    if not is_local(host):
        click.echo(
            f"Warning: everybody who reaches {address} can read this study; there is no password.",
            err=True,
        )
    output.show(
        lambda: f"Open {address} in a browser; Ctrl-C ends it.",
        lambda: {"store": store, "address": address},
    )
    server.run()
