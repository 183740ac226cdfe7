"""The terminal's door. Heavy modules are imported inside the commands that need them."""

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibscope import __version__

if TYPE_CHECKING:
    from rich.console import RenderableType

    from calibscope.market.market import Market
    from calibscope.market.settings import MarketSettings
    from calibscope.report.export.export import Format
    from calibscope.study.settings import StudySettings

# New objects after which Python looks for garbage. Importing the libraries makes half a million,
# and looking through them again and again, in vain, takes a quarter of a second.
CALM = 100_000

# Tables keep their digits: a narrower terminal wraps lines instead.
NARROWEST = 80

# Exit code of a check that found something, but nothing that makes the data unusable.
SECOND_LOOK = 3
STOPPED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="calibscope")
def main() -> None:
    """Calibrate interest-rate models, and know how far to trust the result.

    Start with `calibscope demo`: it needs no data. Then `calibscope check` your own files,
    calibrate a `calibscope day`, and `calibscope run` the whole history.
    """
    gc.set_threshold(CALM)


@main.command()
@click.option(
    "--into", type=click.Path(path_type=Path, file_okay=False), default=Path("calibscope-demo"),
    show_default=True, help="Folder for the results.",
)  # fmt: skip
def demo(into: Path) -> None:
    """Run a whole study on the built-in synthetic market, 2016 to 2025.

    Every day is calibrated, diagnosed and stored. Shown are three reference dates, which quotes
    decide the fit, how much they determine, which bounds hold parameters, and which days need a
    second look; a report (HTML) and a workbook (Excel) are written. A second call finds all days
    in the store and computes nothing.
    """
    from calibscope.report.demo import run_demo
    from calibscope.report.export.target import ExportError
    from calibscope.study.errors import StoreError

    try:
        page = run_demo(into)
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{into}: {error.strerror}; give another folder") from None
    _show(page)


def file_options(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments with which every command reads a user's files."""
    for option in reversed(
        (
            click.argument("caps", type=click.Path(path_type=Path)),
            click.option("--curve", type=click.Path(path_type=Path), help="File with the curves."),
            click.option("--strikes", type=click.Path(path_type=Path), help="File with strikes."),
            click.option("--settings", type=click.Path(path_type=Path), help="TOML: how to read."),
            click.option(
                "--set", "changes", multiple=True, metavar="KEY=VALUE", help="One setting; repeat."
            ),
        )
    ):
        command = option(command)
    return command


@main.command()
@file_options
@click.option("--all", "everything", is_flag=True, help="List every finding, not only examples.")
@click.pass_context
def check(
    context: click.Context,
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
    everything: bool,
) -> None:
    """Read cap quotes and curves, and say what is wrong with them.

    CAPS is a CSV, Excel or Parquet file: long (date, maturity, quantity, value), tidy (date,
    maturity, price, strike, ...), wide (date, 3Y, 4Y, ...) or side-by-side blocks. Without
    --curve, CAPS holds the curves too.

    \b
    calibscope check caps.csv --curve ois.csv
    calibscope check vols.xlsx --curve ois.xlsx --set caps.quantity=normal_vol
        --set caps.units.normal_vol=bp

    Exit code: 0 clean, 1 unusable, 2 wrong usage, 3 usable with warnings or dropped days.
    """  # noqa: D301
    from calibscope.report.check import checked_market

    market, chosen = _read(caps, curve, strikes, settings, changes)
    _show(checked_market(market, chosen, everything))
    context.exit(SECOND_LOOK if market.dropped or market.warnings else 0)


@main.command()
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

    study = _study_settings(settings, changes)
    market, _ = _read(caps, curve, strikes, settings, changes)
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
        _show(calibrated_day(fit, market.name, thresholds))


@main.command()
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

        chosen = _study_settings(settings, changes)
        market, _ = _read(caps, curve, strikes, settings, changes)
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
        _show(run_page(study, tally))
    except KeyboardInterrupt:
        stored = "1 day is" if done == 1 else f"{done:,} days are"
        click.echo(f"Stopped: {stored} stored; the same command goes on.", err=True)
        context.exit(STOPPED)
    click.echo(f"Results: {store}")
    context.exit(SECOND_LOOK if tally.failed else 0)


@main.command()
@file_options
@click.option("--variants", type=click.Path(path_type=Path), help="TOML: a table per variant.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=250,
    show_default=True,
    help="How many days, evenly spread.",
)
@click.option("--all", "everything", is_flag=True, help="All days instead of a sample.")
@click.option("--threads", type=click.IntRange(min=1), help="How many; all cores otherwise.")
@click.option("--store", type=click.Path(path_type=Path), help="Keep it with a study's results.")
def robustness(
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
    variants: Path | None,
    sample: int,
    everything: bool,
    threads: int | None,
    store: Path | None,
) -> None:
    """Calibrate in other ways, and say how far the results move.

    \b
    calibscope robustness examples/caps.csv --curve examples/ois.csv

    Files are given as to `calibscope check`. Without --variants: other starts, BOBYQA and
    Nelder-Mead against the global search, portfolios without 3Y and without 25Y and 30Y. A file of
    your own:

    \b
    ["without the short end"]
    without = ["3Y", "4Y"]
    ["vega weights"]
    weights = "vega"
    """  # noqa: D301
    from calibscope.market.errors import MarketDataError
    from calibscope.report.progress import progress_bar
    from calibscope.report.robustness import robustness_page
    from calibscope.study.errors import StoreError
    from calibscope.study.robustness import PAPER, keep, variants_of
    from calibscope.study.robustness import robustness as compared

    baseline = _study_settings(settings, changes)
    market, _ = _read(caps, curve, strikes, settings, changes)
    try:
        chosen = PAPER if variants is None else variants_of(variants)
        with progress_bar("calibrating") as progress:
            table = compared(
                market, chosen, settings=baseline,
                sample=None if everything else sample, threads=threads,
                progress=lambda variant, done, total: progress(done, total),
            )  # fmt: skip
        if store is not None:
            keep(table, store)
    except (MarketDataError, StoreError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    _show(robustness_page(table, market.name))


@main.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="An .xlsx file: Excel.")
@click.option("--parquet", type=click.Path(path_type=Path), help="A folder for Parquet files.")
@click.option("--csv", type=click.Path(path_type=Path), help="A folder for CSV files.")
@click.pass_context
def export(
    context: click.Context,
    store: Path,
    output: Path | None,
    parquet: Path | None,
    csv: Path | None,
) -> None:
    """Write a study for Excel, R or any other tool.

    \b
    calibscope export study.db -o results.xlsx
    calibscope export study.db --parquet results
    calibscope export study.db --csv results

    STORE is what `calibscope run` made. One sheet or file per table, with dates as dates, units in
    the headers, a table `columns` that says what each one means, and a manifest: versions,
    settings, hashes, counts. An earlier export is replaced; anything else that is there already is
    left alone.

    Exit code: 0 written, 1 not possible, 2 wrong usage, 130 stopped by Ctrl-C.
    """  # noqa: D301
    places: dict[Format, Path | None] = {"xlsx": output, "parquet": parquet, "csv": csv}
    given = [(kind, place) for kind, place in places.items() if place is not None]
    if len(given) != 1:
        raise click.UsageError("say where to: -o results.xlsx, --parquet DIR or --csv DIR")
    from calibscope.report.export.export import export as written
    from calibscope.report.export.target import ExportError
    from calibscope.report.progress import progress_bar
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    ((kind, place),) = given
    try:
        with progress_bar("exporting") as progress:
            study = open_study(store)
            result = written(study, place, kind, progress=progress)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except (StoreError, ExportError) as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        click.echo("Stopped: nothing was written.", err=True)
        context.exit(STOPPED)
    replaced = ", in place of the earlier export" if result.has_replaced else ""
    synthetic = "SYNTHETIC data. " if study.is_synthetic else ""
    rows = sum(result.rows.values())
    click.echo(f"{synthetic}{place}: {len(result.rows)} tables, {rows:,} rows{replaced}")


@main.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The file to write.",
)
def report(store: Path, output: Path) -> None:
    """Write the report of a study: one HTML file that works offline.

    \b
    calibscope run examples/caps.csv --curve examples/ois.csv --store study.db
    calibscope report study.db -o report.html

    For the people who validate the model: traffic lights, the days that need a second look, fit,
    leverage and influence, identifiability, uncertainty, regimes, robustness, settings and hashes.
    """  # noqa: D301
    from calibscope.report.html.write_report import write_report
    from calibscope.study.errors import StoreError
    from calibscope.study.study import open_study

    try:
        write_report(open_study(store), output)
    except StoreError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}; give another name") from None
    click.echo(f"Report: {output}")


def _read(
    caps: Path,
    curve: Path | None,
    strikes: Path | None,
    settings: Path | None,
    changes: tuple[str, ...],
) -> "tuple[Market, MarketSettings]":
    """The market in a user's files, or a message why there is none."""
    from calibscope.market.errors import MarketDataError
    from calibscope.market.read import market_settings, read_market, settings_content
    from calibscope.market.settings import SECTIONS_OF_STUDIES
    from calibscope.report.progress import progress_bar

    try:
        content, _ = settings_content(settings, changes)
        if any(section in content for section in SECTIONS_OF_STUDIES):
            _study_settings(settings, changes)  # to refuse them here, if they are wrong
        chosen = market_settings(settings, changes)
        quote = chosen.caps.quantity or "price"
        files: Path | dict[str, Path] = {quote: caps, "strike": strikes} if strikes else caps
        with progress_bar("bootstrapping curves") as progress:
            return read_market(files, curve, settings=chosen, progress=progress), chosen
    except MarketDataError as error:
        raise click.ClickException(str(error)) from None


def _study_settings(settings: Path | None, changes: tuple[str, ...]) -> "StudySettings":
    """The sections calibration, diagnosis and governance, or a message what is wrong there."""
    from calibscope.market.errors import MarketDataError
    from calibscope.study.settings import study_settings

    try:
        return study_settings(settings, changes)
    except MarketDataError as error:
        raise click.ClickException(str(error)) from None


def _show(page: "RenderableType") -> None:
    from rich.console import Console

    console = Console()
    console.width = max(console.width, NARROWEST)
    console.print(page)
