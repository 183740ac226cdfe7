"""`calibscope run`: a whole history, kept."""

from pathlib import Path

import click

from calibscope.cli.files import file_options, read, read_study_settings
from calibscope.cli.terminal import SECOND_LOOK, STOPPED, show


@click.command()
@file_options
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path("study.db"),
    show_default=True,
    help="File for the results; made, or added to.",
)
@click.option("--engine", metavar="ADDRESS", help="Dask scheduler, like tcp://scheduler:8786.")
@click.option("--threads", type=click.IntRange(min=1), help="How many here; all cores otherwise.")
@click.pass_context
def run(
    context: click.Context,
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
    store: Path,
    engine: str | None,
    threads: int | None,
) -> None:
    """Calibrate and diagnose every day, and keep the results.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --store study.db

    Files are given as to `calibscope check`. Run it again with tomorrow's files: only days that are
    new, or whose quotes or settings changed, are computed, and what they replace is kept as
    superseded. Stop it at any moment: the next run goes on where this one stopped.

    \b
    --set calibration.solver=bobyqa        sections calibration, diagnosis,
    --set governance.limits.rmsre.red=0.1  governance: docs/study.md

    Exit code: 0 all days that were computed have results, 1 not possible, 2 wrong usage, 3 some of
    them have none, 130 stopped by Ctrl-C.
    """  # noqa: D301
    done = 0
    try:
        from calibscope.market.errors import MarketDataError
        from calibscope.report.run import run_page, run_progress
        from calibscope.study.engines import EngineError
        from calibscope.study.errors import StoreError
        from calibscope.study.run import Tally, run_study

        chosen = read_study_settings(settings, changes)
        market, _ = read(caps, curve, strikes, settings, changes)
        tally = Tally(0, 0)
        try:
            with run_progress() as progress:

                def report(current: Tally) -> None:
                    nonlocal tally, done
                    tally, done = current, current.done
                    progress(current)

                files = [path for path in (caps, curve, strikes, settings) if path is not None]
                study = run_study(
                    market, store, chosen, engine=engine, threads=threads, inputs=files,
                    progress=report,
                )  # fmt: skip
        except (MarketDataError, StoreError, EngineError) as error:
            raise click.ClickException(str(error)) from None
        show(run_page(study, tally))
    except KeyboardInterrupt:
        stored = "1 day is" if done == 1 else f"{done:,} days are"
        click.echo(f"Stopped: {stored} stored; the same command goes on.", err=True)
        context.exit(STOPPED)
    click.echo(f"Results: {store}")
    context.exit(SECOND_LOOK if tally.failed else 0)
