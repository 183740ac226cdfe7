"""`calibscope day`: one day, calibrated and diagnosed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibscope.cli.command import TO_REVIEW, Command
from calibscope.cli.files import FILE, Files, file_options
from calibscope.cli.output import Output, output_options

if TYPE_CHECKING:
    from calibscope.calibration.solution import Fit
    from calibscope.diagnosis.settings import DiagnosisSettings
    from calibscope.report.refits.answers import RefitAnswers


@click.command(cls=Command)
@file_options
@click.option("--date", help="The day to calibrate, like 2022-07-21; the latest otherwise.")
@click.option("--model", help="g2++ (default), hull-white, or one of your own.")
@click.option("--full", is_flag=True, help="All tables of the page, not only one screen.")
@click.option("--html", type=FILE, help="Write a page with figures to this file instead.")
@click.option("--refits", is_flag=True, help="Fit again, too: some seconds.")
@output_options
@click.pass_context
def day(
    context: click.Context,
    files: Files,
    date: str | None,
    model: str | None,
    full: bool,
    html: Path | None,
    refits: bool,
    output: Output,
) -> None:
    """Calibrate one day, and say whether the result may be used.

    \b
    calibscope day examples/caps.csv --curve examples/ois.csv
    calibscope day examples/caps.csv --curve examples/ois.csv --date 2020-03-18 --full
    calibscope day examples/caps.csv --curve examples/ois.csv --date 2020-03-18
        --html day.html

    Files are given as to `calibscope check`. One screen shows the RAG status with its reasons, the
    parameters with their intervals, which quotes decide the fit, and what to do next.

    --full, and the page of --html, also show market against model, the range of each parameter that
    fits almost as well, the influence of each quote, what the quotes determine, and the evidence
    that the optimum is the global one.

    With --refits the day is fitted again: without each quote, with each parameter held, to
    simulated quotes, with robust losses. Shown are the answers beside what first order predicted,
    intervals of three methods, and what the uncertainty means for rates and curves.
    """  # noqa: D301
    from calibscope.calibration.calibrate import calibrate
    from calibscope.calibration.weights import check_names
    from calibscope.report.machine_readable import day_as_data
    from calibscope.report.outcomes import market_as_data, rated_as_data
    from calibscope.report.sections.day import day_document, day_screen
    from calibscope.study.rag import BAD
    from calibscope.study.rated_fit import rated_fit

    files = files.with_models([model] if model else [])
    study = files.study_settings()
    market, _ = files.read(output)
    try:
        check_names(study.calibration.weights, market)
        fit = calibrate(market.day(date or market.dates[-1]), **study.calibration.arguments())
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    thresholds = study.diagnosis.thresholds
    rated = rated_fit(fit, market, study)
    again = _fitted_again(fit, thresholds, output) if refits else None
    shown = fit, market.name, market.is_synthetic, thresholds, again
    output.show_document(
        lambda: day_document(*shown, rated=rated),
        lambda: {
            **market_as_data(market),
            "rag": rated_as_data(rated),
            **day_as_data(fit, thresholds, again),
        },
        html,
        None if full else lambda: day_screen(*shown, rated),
    )
    context.exit(TO_REVIEW if fit.status.name in BAD else 0)


def _fitted_again(fit: "Fit", thresholds: "DiagnosisSettings", output: Output) -> "RefitAnswers":
    from calibscope.diagnosis.diagnose import diagnose
    from calibscope.report.refits.answers import refit_answers

    with output.progress("fitting again") as progress:
        return refit_answers(diagnose(fit, settings=thresholds), progress)
