"""Would another solver, another start or another portfolio have told another story?

The paper's check on its own design (paragraph on robustness of the calibration design), for any
list of variants. Each is calibrated and diagnosed on the same days as the baseline, and one table
says how far parameters, RMSRE, the leverage profile and the EDoF levels move.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError
from sqlalchemy import delete

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.errors import SettingsError
from calibscope.base.settings import alone, checked_settings
from calibscope.base.settings_file import file_content
from calibscope.base.spelling import hint
from calibscope.calibration.calibrate import Fits, calibrate_many
from calibscope.calibration.weights import check_names
from calibscope.diagnosis.diagnose import diagnose_many
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.market.maturity import label, maturity
from calibscope.models.model import DEFAULT, model_named
from calibscope.study.database import insert_columns
from calibscope.study.robustness_rows import MOVE, as_rows, edof_columns
from calibscope.study.sealed import seal_rows
from calibscope.study.settings import CalibrationSection, StudySettings
from calibscope.study.store import opened_for_writing

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 250  # days, evenly spread
WORSE = 1e-3  # of the sum of squares: a fit that misses the optimum
FAR = 0.1  # of log a, log sigma or rho: parameters that are others
BASELINE = "baseline"
ENDS = 2  # maturities that count as an end of the portfolio
LEAST_QUOTES = 6  # that must be left: with five the fit is exact, and compares nothing


def _quote_name(value: Any) -> float | str:
    """A maturity in years, or the label of a quote."""
    years = maturity(str(value))
    if years is None and not isinstance(value, str):
        raise PydanticCustomError("quote", "use a maturity such as 3Y, or a label such as 3Y floor")
    return years or str(value)


QuoteName = Annotated[float | str, BeforeValidator(_quote_name)]


class Variant(CalibrationSection):
    """What is done differently: any argument of `cs.calibrate`, a start, quotes left out."""

    start: tuple[float, ...] | None = None  # parameters, in the model's order
    # "10Y floor": that quote; "10Y" or 10: all quotes of the maturity
    without: Annotated[tuple[QuoteName, ...], BeforeValidator(alone)] = ()


# The paper's solvers, and its starts for G2++; the quotes that it leaves out come from the market.
OTHER_SOLVERS = {
    "BOBYQA": Variant(solver="bobyqa"),
    "Nelder-Mead": Variant(solver="nelder-mead"),
}
OTHER_STARTS = {
    "BOBYQA, second start": Variant(solver="bobyqa", start=(0.1, 0.01, 0.01, 0.008, -0.5)),
    "BOBYQA, third start": Variant(solver="bobyqa", start=(1.0, 0.3, 0.02, 0.02, 0.3)),
}


def usual_variants(market: Market, model: str = DEFAULT) -> dict[str, Variant]:
    """The paper's variants, on the quotes of this market.

    Other solvers and starts, and fits without the shortest and without the longest quotes: of the
    paper's maturities 3Y, and 25Y with 30Y; where there are several kinds or strikes, also without
    floors and without the quotes off the money. What a tenth of the days or fewer quote is not
    missed.

    Parameters
    ----------
    market : the days
    model : by name; the paper's other starts are those of G2++

    Returns
    -------
    dict[str, Variant]
        by name
    """
    named = {
        name: Variant(without=quotes)
        for name, quotes in _portfolios(market).items()
        if _quotes_left(market, quotes) >= LEAST_QUOTES
    }
    starts = OTHER_STARTS if model == DEFAULT else {}
    return {"BOBYQA": OTHER_SOLVERS["BOBYQA"], **starts, **OTHER_SOLVERS, **named}


def skipped_variants(market: Market) -> dict[str, int]:
    """Which of the usual variants leave too few quotes, and how many.

    Parameters
    ----------
    market : the days

    Returns
    -------
    dict[str, int]
        the median number of quotes that would be left, by name
    """
    left = {name: _quotes_left(market, quotes) for name, quotes in _portfolios(market).items()}
    return {name: count for name, count in left.items() if count < LEAST_QUOTES}


def _portfolios(market: Market) -> dict[str, tuple[float | str, ...]]:
    """What may be left out, by the name of the variant."""
    found: dict[str, tuple[float | str, ...]] = {}
    counts = Counter(year for day in market for year in np.unique(day.maturities).tolist())
    years = sorted(year for year, count in counts.items() if count > 0.1 * len(market))
    if len(years) > ENDS:
        ends = tuple(years[:1]), tuple(years[-ENDS:])
        found = {f"without {' and '.join(map(label, end))}": end for end in ends}
    kinds = {
        name: (kind, is_struck)
        for day in market
        for name, kind, is_struck in zip(day.labels, day.kinds, _is_struck(day), strict=False)
    }
    floors = tuple(name for name, (kind, _) in kinds.items() if kind == "floor")
    struck = tuple(name for name, (_, is_struck) in kinds.items() if is_struck)
    if 0 < len(floors) < len(kinds):
        found["without floors"] = floors
    if 0 < len(struck) < len(kinds):
        found["without quotes off the money"] = struck
    return found


def _is_struck(day: MarketDay) -> list[bool]:
    return [False] * day.cap_count if day.is_struck is None else day.is_struck.tolist()


def _quotes_left(market: Market, quotes: Sequence[float | str]) -> int:
    """How many a day has without these, in the median of the days that have some of them."""
    gone = [_left_out(day, quotes) for day in market]
    return int(np.median([(~one).sum() for one in gone if one.any()]))


def _left_out(day: MarketDay, quotes: Sequence[float | str]) -> BoolArray:
    """(m,) which quotes of a day are among these labels, or of these maturities."""
    names = [quote for quote in quotes if isinstance(quote, str)]
    years = [quote for quote in quotes if not isinstance(quote, str)]
    return np.isin(day.labels, names) | np.isin(day.maturities, years)


def robustness(
    market: Market,
    variants: Mapping[str, Variant] | None = None,
    *,
    settings: StudySettings | None = None,
    sample: int | None = SAMPLE,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] = lambda variant, done, total: None,
) -> "pd.DataFrame":
    """Calibrate the same days in several ways and compare; the baseline is the first row.

    A parameter moves where |q - q_baseline| > 0.1 in q = (log a, log sigma, rho); the variants are
    the paper's (paragraph on robustness of the calibration design).

    Parameters
    ----------
    market : the days
    variants : by name; None means those of `usual_variants`, and ``table.attrs["skipped"]`` then
        says what `skipped_variants` does
    settings : of the baseline, and of a variant in all that it does not change
    sample : how many days, evenly spread over the market; None means all
    threads : how many to use; None means all cores
    progress : called as progress(variant, done, total)

    Returns
    -------
    DataFrame
        One row per variant, compared with the baseline on `days` days: where quotes are left out,
        those that have some of them, and others. `worse` is the share of days whose sum of squares
        is more than 0.1 % above the baseline's (same quotes, weights and bounds only), `rmsre` the
        median; `moved` the share of days on which a parameter moves by more than 0.1 in log a,
        log sigma or rho, and one median move per parameter; `short_end` and `long_end` the mean
        share of leverage of the two shortest and the two longest maturities; `leverage_move` the
        largest change of a quote's mean leverage; `edof_5`, ... shares of days (of the first of
        several models).
    """
    import pandas as pd

    chosen = settings or StudySettings()
    chosen = chosen.of(chosen.calibration.models[0])
    for one in (chosen.calibration, *(variants or {}).values()):
        check_names(one.weights, market)
    days = _sampled(market, sample)
    skipped: dict[str, int] = {}
    if variants is None:
        variants = usual_variants(days, chosen.calibration.models[0])
        skipped = skipped_variants(days)
    _check(variants, days)
    common = chosen.calibration.model_dump()
    rows, base = [], None
    for name, changes in {BASELINE: Variant(), **variants}.items():
        variant = Variant(**{**common, **changes.model_dump(exclude_unset=True)})
        places = _comparable(days, variant)
        found = _Found(
            [_reduced(days.days[place], variant.without) for place in places],
            variant, chosen, threads, partial(progress, name),
        )  # fmt: skip
        base = base or found
        rows.append({"variant": name, "days": len(places), **_compared(found, base, places)})
    table = pd.DataFrame(rows)
    table.attrs["skipped"] = skipped
    return table


def _reduced(day: MarketDay, quotes: Sequence[float | str]) -> MarketDay:
    gone = _left_out(day, quotes)
    return day.without([name for name, is_gone in zip(day.labels, gone, strict=True) if is_gone])


def _check(variants: Mapping[str, Variant], market: Market) -> None:
    """Refuse names and maturities that would compare nothing."""
    if BASELINE in variants:
        raise ValueError(f"a variant is called {BASELINE!r}; give it another name")
    quoted = {*market.maturities.tolist(), *market.labels}
    for name, variant in variants.items():
        missing = [quote for quote in variant.without if quote not in quoted]
        if missing:
            words = [quote if isinstance(quote, str) else label(quote) for quote in missing]
            text = f"[{name}] leaves out {', '.join(words)}, which no day quotes"
            raise ValueError(f"{text}{hint(market.labels, *words)}")
        if not len(_comparable(market, variant)):
            raise ValueError(f"[{name}] leaves no day a quote; leave out fewer")


def _comparable(market: Market, variant: Variant) -> Indices:
    """Places of the days on which a variant differs: not all days quote what it leaves out."""
    if not variant.without:
        return np.arange(len(market))
    shares = [_left_out(day, variant.without).mean() for day in market]
    return np.flatnonzero([0 < share < 1 for share in shares])


class _Found:
    """A variant's fits and what is compared of them."""

    def __init__(
        self,
        days: Sequence[MarketDay],
        variant: Variant,
        settings: StudySettings,
        threads: int | None,
        progress: Callable[[int, int], None],
    ) -> None:
        model = model_named(variant.models[0])
        start = None if variant.start is None else model.from_values(variant.start)
        self.variant = variant
        # Fits are compared: swapped factors are no move.
        arguments = {**variant.arguments(), "order": "canonical"}
        self.fits: Fits = calibrate_many(
            days, **arguments, start=start, threads=threads, progress=progress
        )
        section = settings.diagnosis
        self.diagnoses = diagnose_many(self.fits, section.mode, section.thresholds, threads)
        self.names = self.fits.problems[0].specs.names
        self.points = self.fits.problems[0].specs.coordinates.of(self.fits.parameters)
        self.objectives = self.fits.objectives[:, 0]
        self.days = [problem.day for problem in self.fits.problems]

    @property
    def edof(self) -> Array:
        return self.diagnoses.of_all("edof")

    def mean_leverage(self, places: Indices) -> dict[str, float]:
        """Of each quote, over some of the days."""
        found: dict[str, list[float]] = {}
        for place in places.tolist():
            leverages = self.diagnoses[place].leverage.tolist()
            for name, leverage in zip(self.days[place].labels, leverages, strict=False):
                found.setdefault(name, []).append(leverage)
        return {name: float(np.mean(leverages)) for name, leverages in found.items()}

    def end_share(self, end: slice) -> float:
        """Mean share of the leverage that the shortest or the longest maturities carry."""
        shares = []
        for day, dx in zip(self.days, self.diagnoses, strict=True):
            leverage = dx.leverage[: len(day.maturities)]
            is_end = np.isin(day.maturities, np.unique(day.maturities)[end])
            shares.append(leverage[is_end].sum() / leverage.sum())
        return float(np.mean(shares))


def _compared(found: _Found, base: _Found, places: Indices) -> dict[str, Any]:
    """A variant against the baseline on the same days, which are at these places."""
    moves, full = np.abs(found.points - base.points[places]), len(found.names)
    levels = (found.edof == full, found.edof == full - 1, found.edof <= full - 2)
    alike = ("weights", "bounds", "fixed", "without")
    same = all(getattr(found.variant, name) == getattr(base.variant, name) for name in alike)
    ours, usual = found.mean_leverage(np.arange(len(places))), base.mean_leverage(places)
    ends = {"short_end": slice(None, ENDS), "long_end": slice(-ENDS, None)}
    return {
        "rmsre": float(np.median(found.fits.rmsre)),
        "worse": float(np.mean(found.objectives > (1 + WORSE) * base.objectives[places]))
        if same
        else float("nan"),
        "moved": float(np.mean(moves.max(axis=1) > FAR)),
        **{f"{MOVE}{name}": float(np.median(moves[:, p])) for p, name in enumerate(found.names)},
        **{name: found.end_share(end) for name, end in ends.items()},
        "leverage_move": max(abs(ours[name] - usual[name]) for name in ours),
        **{
            name: float(np.mean(is_so))
            for name, is_so in zip(edof_columns(full), levels, strict=True)
        },
        "edof_same": float(np.mean(found.edof == base.edof[places])),
    }


def keep(table: "pd.DataFrame", store: str | Path) -> None:
    """Keep a comparison in the store of a study, instead of the one before."""
    contents = as_rows(table)
    with opened_for_writing(Path(store)) as database, database.begin() as connection:
        for rows, columns in contents.items():
            connection.execute(delete(rows))
            insert_columns(connection, rows, columns)
            seal_rows(connection, rows)


def _sampled(market: Market, sample: int | None) -> Market:
    if sample is None or sample >= len(market):
        return market
    if sample < 1:
        raise ValueError(f"sample is {sample}; take at least one day")
    places = np.linspace(0, len(market) - 1, sample).round().astype(int)
    return Market(
        tuple(market.days[place] for place in places), name=market.name,
        is_synthetic=market.is_synthetic,
    )  # fmt: skip


def variants_of(path: str | Path) -> dict[str, Variant]:
    """Variants from a TOML file: one table each, such as ``["no 3Y"]`` with ``without = "3Y"``."""
    content = file_content(path)
    if not content or not all(isinstance(value, dict) for value in content.values()):
        problem = 'needs a table per variant, such as ["no 3Y"] and below it without = "3Y"'
        raise SettingsError(str(path), [problem])
    problems: list[str] = []
    variants = {}
    for name, value in content.items():
        try:
            variants[name] = checked_settings(Variant, value, name)
        except SettingsError as error:
            problems += [f"[{name}] {problem}" for problem in error.problems]
    if problems:
        raise SettingsError(str(path), problems)
    return variants
