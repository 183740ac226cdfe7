"""`cs.run_study`: every day of a market calibrated, diagnosed and kept.

Running again computes only what is new: a day is valid as long as the hash of its quotes and curve
and the hash of the settings are those it was computed with.
"""

import datetime
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy import Engine as Database

from calibscope.base.errors import SettingsError
from calibscope.calibration.problem import Problem
from calibscope.calibration.weights import check_names
from calibscope.market.day import MarketDay
from calibscope.market.findings import INCOMPLETE, Finding
from calibscope.market.market import Market
from calibscope.study import schema
from calibscope.study.challenger_fits import fit_challengers
from calibscope.study.cluster import TIMEOUT
from calibscope.study.damage import Damage
from calibscope.study.database import ERRORS
from calibscope.study.engines import Engine, engine_of
from calibscope.study.market_days import keep_market_days
from calibscope.study.near_optimal_ranges import keep_ranges
from calibscope.study.rag import Rag, ratings_of, with_further
from calibscope.study.refits import checked_choice, refit_days
from calibscope.study.results import FAILED, Results, failure, joined
from calibscope.study.rows import read_rows
from calibscope.study.run_row import begin_run, finish_run
from calibscope.study.screening import Suspicion, keep_screening, suspicions
from calibscope.study.settings import StudySettings, study_settings
from calibscope.study.store import opened_for_writing, valid_days, write_days
from calibscope.study.study import Study, open_study

LATEST = 5  # days whose news a tally keeps
CHUNK = 64  # days that are computed and committed together
SLOW_CHUNK = 8  # the same for settings that take longer
COMPLETE = "complete"  # outcome of a run
DROPPED = "DROPPED"  # status of a day whose data cannot be used


@dataclass(frozen=True, slots=True)
class News:
    """A day that was just stored, in short."""

    date: datetime.date
    model: str
    rag: Rag
    reasons: tuple[str, ...]  # for the RAG status
    rmsre: float | None  # None: there are no results
    edof: float | None
    summary: str


@dataclass(slots=True)
class Tally:
    """How far a run has come."""

    total: int  # days to compute
    kept: int  # valid already
    done: int = 0
    failed: int = 0  # of those, without results
    dropped: int = 0  # of those, because their data cannot be used
    rag: Counter[Rag] = field(default_factory=Counter)
    latest: list[News] = field(default_factory=list)  # of each model, the last ones
    calibration_seconds: float = 0.0
    diagnosis_seconds: float = 0.0
    store_seconds: float = 0.0
    refits_total: int = 0  # days that are to be fitted again, for profiles or without each quote
    refits_done: int = 0
    refits_failed: int = 0  # of those, without answers
    first_failure: str = ""  # why the first day without a fit has none
    repaired: str = ""  # what was damaged in the store, and is computed anew
    models: tuple[str, ...] = ()

    @property
    def is_failed(self) -> bool:
        """Whether there were days to calibrate, and not one has a result."""
        tried = self.done - self.dropped
        return tried > 0 and self.failed - self.dropped == tried


@dataclass(frozen=True, slots=True)
class Pending:
    """A date to compute: its day, or the reason why there is none."""

    date: datetime.date
    data_hash: str
    day: MarketDay | None
    reason: str = ""
    is_incomplete: bool = False
    gaps: str = ""  # what is missing of a day that is kept


def run_study(
    market: Market,
    store: str | Path,
    settings: str | Path | Mapping[str, Any] | StudySettings | None = None,
    *,
    preset: str | None = None,
    engine: str | None = None,
    threads: int | None = None,
    inputs: Iterable[str | Path] = (),
    profiles: str = "usual",
    engine_timeout: float = TIMEOUT,
    progress: Callable[[Tally], None] = lambda tally: None,
) -> Study:
    """Calibrate and diagnose every day of a market, and keep the results in a store.

    Only days that are new, or whose quotes or settings changed, are computed; what they replace is
    kept as superseded. Days are stored in chunks: after a kill at any moment, the next run
    continues where this one stopped.

    Parameters
    ----------
    market : the days
    store : file for the results, made if there is none
    settings : a TOML file or nested dictionaries with the sections calibration, diagnosis and
        governance (docs/study.md lists them); ``{"calibration": {"model": ["g2++",
        "hull-white"]}}`` fits each day with both, see `Study.of`
    preset : "paper" calibrates and diagnoses as the paper does, unless the settings say otherwise;
        give it to `read_market`, too
    engine : address of a Dask scheduler, such as "tcp://scheduler:8786"; None computes here
    threads : how many to use here; None means all cores
    inputs : files whose SHA-256 goes into the audit trail
    profiles : "usual" profiles every parameter on the days that are not green and on the latest
        250, where that takes less than a second, and on none where `diagnosis.method` asks for
        other intervals; "latest" on the latest day alone, under the same conditions; "all" on all
        days, whatever it takes; "none" on none
    engine_timeout : seconds after which a worker or a scheduler that does not respond counts as
        gone
    progress : called with a `Tally` after each chunk

    Returns
    -------
    Study
        everything that the store holds now

    Raises
    ------
    StoreError
        if the store cannot be read or written, or another run is writing to it
    EngineError
        if the cluster cannot be used, or has gone; the next run goes on

    Examples
    --------
    >>> import tempfile
    >>> from calibscope.market.demo import demo_market
    >>> march = demo_market().between("2020-03-16", "2020-03-20")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = run_study(march, f"{folder}/study.db")
    ...     study.days[["rmsre", "edof"]].round(4).iloc[0].to_list()
    [0.0055, 5.0]
    """
    if not isinstance(market, Market):
        raise TypeError(f"expected a Market, got a {type(market).__name__}; cs.Market(days) is one")
    chosen = study_settings(settings, preset=preset)
    path, which = Path(store), checked_choice(profiles)
    where = engine_of(engine, threads, engine_timeout)
    _refuse_impossible(market, chosen)
    damage: list[Damage] = []
    with opened_for_writing(path, damage.append) as database:
        repaired = "; ".join(map(str, damage))
        with database.begin() as connection:
            run_id = begin_run(connection, market, chosen, where.name, inputs, repaired, which)
            work = [(one, _pending(connection, market, one)) for one in chosen.each_model()]
        every = len(work) * (len(market) + len(_reasons(market.dropped)))
        total = sum(len(pending) for _, pending in work)
        tally = Tally(total, every - total, repaired=repaired, models=chosen.calibration.models)
        progress(tally)
        began = time.perf_counter()
        try:
            keep_market_days(database, market)
            changed = {day.date for _, pending in work for day in pending}
            with database.begin() as connection:
                keep_screening(connection, market, changed)
                suspected = suspicions(read_rows(connection, schema.screening).columns)
            for one, pending in work:
                _compute_and_store(
                    database, run_id, market, pending, one, where, suspected, tally, progress
                )
                fit_challengers(database, run_id, market, one)
            for one, _ in work if len(work) > 1 else ():
                keep_ranges(database, run_id, market, one)
            for one, _ in work:
                refit_days(database, run_id, market, one, where, which, _reporter(tally, progress))
        except BaseException as error:
            with suppress(*ERRORS):  # a full disk has no room for this either
                outcome = f"stopped by {type(error).__name__}"
                finish_run(database, run_id, outcome, _counts(tally, began))
            raise
        finish_run(database, run_id, outcome_of(tally), _counts(tally, began))
    return open_study(path)


def _pending(connection: Connection, market: Market, settings: StudySettings) -> list[Pending]:
    """The days of the market that have no valid results of this model."""
    valid = valid_days(connection, settings.calibration.models[0], settings.results_hash)
    return [day for day in _all_days(market) if valid.get(day.date) != day.data_hash]


def _reporter(tally: Tally, progress: Callable[[Tally], None]) -> Callable[[int, int, int], None]:
    """Report refits on top of those of the models before."""
    before = tally.refits_done, tally.refits_total, tally.refits_failed

    def report(done: int, total: int, failed: int) -> None:
        now = (then + more for then, more in zip(before, (done, total, failed), strict=True))
        tally.refits_done, tally.refits_total, tally.refits_failed = now
        progress(tally)

    return report


def _counts(tally: Tally, began: float) -> dict[str, float]:
    """What the row of a run says of it."""
    return {
        "days_kept": tally.kept,
        "days_computed": tally.done,
        "days_failed": tally.failed,
        "seconds": time.perf_counter() - began,
        "calibration_seconds": tally.calibration_seconds,
        "diagnosis_seconds": tally.diagnosis_seconds,
        "store_seconds": tally.store_seconds,
    }


def outcome_of(tally: Tally) -> str:
    """How a run that went to its end has ended."""
    return (
        f"failed: no day could be calibrated ({tally.first_failure})"
        if tally.is_failed
        else COMPLETE
    )


def _refuse_impossible(market: Market, settings: StudySettings) -> None:
    """Settings that no day of this market can be calibrated with are an error, not 2,000 rows."""
    portfolios = {day.labels: day for day in market}
    for one in settings.each_model():
        arguments = {**one.calibration.arguments()}
        arguments.pop("solver")
        with _named_as_settings():
            check_names(one.calibration.weights, market)
        if arguments["weights"] == "leverage_balanced":
            arguments["weights"] = "rmsre"
        for day in portfolios.values():
            with _named_as_settings():
                Problem.of(day, **arguments)


@contextmanager
def _named_as_settings() -> Iterator[None]:
    """An error of the calibration is one of the settings."""
    try:
        yield
    except ValueError as error:
        raise SettingsError("settings", [f"[calibration] {error}"]) from None


def _compute_and_store(
    database: Database,
    run_id: int,
    market: Market,
    pending: Sequence[Pending],
    settings: StudySettings,
    engine: Engine,
    suspected: Mapping[str, Suspicion],
    tally: Tally,
    progress: Callable[[Tally], None],
) -> None:
    """Dropped days at once, then chunk after chunk, each in a transaction of its own."""
    warnings = _reasons(one for one in market.warnings if one.check != INCOMPLETE)
    lost = [day for day in pending if day.day is None]
    size = CHUNK if settings.calibration.is_quick else SLOW_CHUNK
    chunks = list(_chunks((day for day in pending if day.day is not None), size))
    work: Iterator[tuple[Sequence[Pending], Results]] = zip(
        chunks, engine.results([_market_days(chunk) for chunk in chunks], settings), strict=True
    )
    if lost:
        store(database, run_id, lost, _dropped(lost), settings, warnings, suspected, tally)
        tally.dropped += len(lost)
        progress(tally)
    for chunk, results in work:
        store(database, run_id, chunk, results, settings, warnings, suspected, tally)
        progress(tally)


def store(
    database: Database,
    run_id: int,
    chunk: Sequence[Pending],
    results: Results,
    settings: StudySettings,
    warnings: Mapping[datetime.date, str],
    suspected: Mapping[str, Suspicion],
    tally: Tally,
) -> None:
    """Commit the results of a chunk, and count them."""
    began = time.perf_counter()
    known: dict[str, Sequence[Any]] = {
        "date": [day.date for day in chunk],
        "data_hash": [day.data_hash for day in chunk],
        "settings_hash": [settings.results_hash] * len(chunk),
        "warnings": [warnings.get(day.date, "") for day in chunk],
        "gaps": [day.gaps for day in chunk],
        "is_incomplete": [day.is_incomplete for day in chunk],
    }
    with database.begin() as connection:
        write_days(connection, run_id, settings.calibration.models[0], known, results.tables)
    tally.done += results.count
    for news in _news(chunk, results, settings, known["warnings"], suspected):
        tally.latest = _latest([*tally.latest, news])
        tally.rag[news.rag] += 1
        tally.failed += news.rmsre is None
    if not tally.first_failure:
        days = results.tables["days"]
        failed = [why for why, status in zip(days["reason"], days["status"], strict=True)
                  if status == FAILED]  # fmt: skip
        tally.first_failure = failed[0] if failed else ""
    tally.calibration_seconds += results.calibration_seconds
    tally.diagnosis_seconds += results.diagnosis_seconds
    tally.store_seconds += time.perf_counter() - began


def _latest(news: list[News]) -> list[News]:
    """The last of each model."""
    models = dict.fromkeys(one.model for one in news)
    return [one for model in models for one in [n for n in news if n.model == model][-LATEST:]]


def _news(
    chunk: Sequence[Pending],
    results: Results,
    settings: StudySettings,
    warnings: Sequence[str],
    suspected: Mapping[str, Suspicion],
) -> Iterator[News]:
    days, blank = results.tables["days"], [None] * results.count
    model = settings.calibration.models[0]
    if "metrics" in results.tables:
        days = with_further(days, results.tables["metrics"], "day")
    found = zip(
        chunk,
        ratings_of(
            {**days, "date": [day.date for day in chunk], "warnings": warnings},
            settings.governance,
            suspected,
        ),
        *(days.get(name, blank) for name in ("rmsre", "edof", "summary")),
        strict=True,
    )
    for day, (rag, reasons), rmsre, edof, summary in found:
        yield News(day.date, model, rag, reasons, rmsre, edof, summary or "")


def _all_days(market: Market) -> list[Pending]:
    """Every date of the market, in order, those that were dropped with their reasons."""
    lacking = _reasons(market.incomplete)
    days = [
        Pending(
            day.date,
            day.fingerprint,
            day,
            is_incomplete=day.date in lacking,
            gaps=lacking.get(day.date, ""),
        )
        for day in market
        if day.date is not None
    ]
    days += [
        Pending(date, _hash_of(market.dropped, date), None, reason, is_incomplete=True)
        for date, reason in _reasons(market.dropped).items()
    ]
    return sorted(days, key=lambda day: day.date)


def _reasons(findings: Iterable[Finding]) -> dict[datetime.date, str]:
    """What was found, by date."""
    texts: dict[datetime.date, list[str]] = {}
    for finding in findings:
        if finding.date is not None:
            texts.setdefault(finding.date, []).append(str(finding))
    return {date: "; ".join(found) for date, found in texts.items()}


def _hash_of(findings: Iterable[Finding], date: datetime.date) -> str:
    """Of what was found on a date, whatever the file is called."""
    texts = [f"{f.maturity} {f.message}" for f in findings if f.date == date]
    return hashlib.sha256("; ".join(texts).encode()).hexdigest()


def _dropped(days: Sequence[Pending]) -> Results:
    return joined([failure(day.reason, DROPPED) for day in days])


def _chunks(days: Iterable[Pending], size: int) -> Iterator[Sequence[Pending]]:
    rest = iter(days)
    while chunk := list(islice(rest, size)):
        yield chunk


def _market_days(chunk: Sequence[Pending]) -> list[MarketDay]:
    return [day.day for day in chunk if day.day is not None]
