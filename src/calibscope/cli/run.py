"""`calibscope run`: a whole history, kept."""

from pathlib import Path

import click

from calibscope.cli.command import TO_REVIEW, Command
from calibscope.cli.files import FILE, Files, file_options, profiles_option
from calibscope.cli.output import Output, output_options


@click.command(cls=Command)
@file_options
@click.option(
    "--store", type=FILE, default=Path("study.db"), show_default=True,
    help="File for the results; made, or added to.",
)  # fmt: skip
@click.option(
    "--model", "models", multiple=True, metavar="NAME",
    help="g2++ (default), hull-white, or one of your own; repeat to compare several.",
)  # fmt: skip
@click.option("--engine", metavar="ADDRESS", help="Dask scheduler, like tcp://scheduler:8786.")
@click.option(
    "--engine-timeout", type=click.FloatRange(min=0, min_open=True), default=60.0,
    show_default=True, metavar="SECONDS", help="Silence after which a worker counts as gone.",
)  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="How many here; all cores otherwise.")
@profiles_option("usual")
@click.option("--full", is_flag=True, help="The whole study below the answer on its latest day.")
@output_options
@click.pass_context
def run(
    context: click.Context,
    files: Files,
    store: Path,
    models: tuple[str, ...],
    engine: str | None,
    engine_timeout: float,
    threads: int | None,
    profiles: str,
    full: bool,
    output: Output,
) -> None:
    """Calibrate and diagnose every day, and keep the results.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --store study.db

    Files are given as to `calibscope check`. Run it again with tomorrow's files: only days that are
    new, or whose quotes or settings changed, are computed, and what they replace is kept as
    superseded. Stop it at any moment: the next run goes on where this one stopped.

    At the end one screen says whether the calibration of the latest day may be used; --full adds
    reference dates, leverage, EDoF and bounds over all days, and the days that need review.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --model g2++ --model hull-white

    Several models are fitted to the same days and compared: how well they fit, what the quotes
    identify, and how often the market supports the larger one.

    \b
    --set calibration.solver=bobyqa        sections calibration, diagnosis,
    --set governance.limits.rmsre.red=0.1  governance: docs/study.md
    """  # noqa: D301
    done = 0
    try:
        from calibscope.base.errors import InputError
        from calibscope.report.outcomes import run_as_data
        from calibscope.report.run import run_page, run_progress
        from calibscope.study.engines import EngineError
        from calibscope.study.errors import StoreError
        from calibscope.study.run import Tally, run_study

        files = files.with_models(models)
        chosen = files.study_settings()
        market, _ = files.read(output)
        tally = Tally(0, 0)
        try:
            with run_progress(output.is_quiet) as progress:

                def report(current: Tally) -> None:
                    nonlocal tally, done
                    tally, done = current, current.done
                    progress(current)

                study = run_study(
                    market, store, chosen, engine=engine, threads=threads, inputs=files.paths,
                    profiles=profiles, engine_timeout=engine_timeout, progress=report,
                )  # fmt: skip
        except (InputError, StoreError, EngineError) as error:
            raise click.ClickException(str(error)) from None
        output.show(
            lambda: run_page(study, tally, full),
            lambda: run_as_data(market, store, tally, output.seconds),
        )
    except KeyboardInterrupt:
        from calibscope.base.numbers import counted

        stored = counted(done, "day is", "days are")
        message = f"Stopped: {stored} stored; the same command goes on."
        raise KeyboardInterrupt(message) from None
    if tally.is_failed:
        raise click.ClickException(f"no day could be calibrated: {tally.first_failure}")
    context.exit(TO_REVIEW if tally.failed or tally.refits_failed else 0)
