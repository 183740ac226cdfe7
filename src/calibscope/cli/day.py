"""`calibscope day`: one day, calibrated and diagnosed."""

import json
from pathlib import Path

import click

from calibscope.cli.files import file_options, read, read_study_settings
from calibscope.cli.terminal import show


@click.command()
@file_options
@click.option("--date", required=True, help="The day to calibrate, like 2022-07-21.")
@click.option("--json", "as_json", is_flag=True, help="Print everything machine-readable.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page with figures instead.")
def day(
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
    date: str,
    as_json: bool,
    html: Path | None,
) -> None:
    """Calibrate one day, and say how far the result can be trusted.

    \b
    calibscope day examples/caps.csv --curve examples/ois.csv --date 2020-03-18

    Files are given as to `calibscope check`. Shown are market against model, the parameters with
    the range that fits almost as well, which quotes decide the fit, how uncertain the parameters
    are, and the evidence that the optimum is the global one.
    """  # noqa: D301
    from calibscope.calibration.calibrate import calibrate
    from calibscope.market.errors import MarketDataError
    from calibscope.report.day import calibrated_day
    from calibscope.report.machine_readable import day_as_data

    study = read_study_settings(settings, changes)
    market, _ = read(caps, curve, strikes, settings, changes)
    try:
        fit = calibrate(market.day(date), **study.calibration.arguments())
    except (MarketDataError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    thresholds = study.diagnosis.thresholds
    if html is not None:
        from calibscope.report.html.write_day import write_day

        try:
            write_day(fit, html, market.name, market.is_synthetic, thresholds)
        except OSError as error:
            raise click.ClickException(f"{html}: {error.strerror}; give another name") from None
        click.echo(f"Page: {html}")
    elif as_json:
        click.echo(json.dumps(day_as_data(fit, thresholds), indent=1, allow_nan=False))
    else:
        show(calibrated_day(fit, market.name, thresholds))
