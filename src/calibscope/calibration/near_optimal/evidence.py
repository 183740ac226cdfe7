"""Evidence for a fit: why to believe that it is the best one, and what speaks against using it.

Three questions: is there another optimum (`local_minima.py`), are the parameters acceptable
(`plausible.py`), and how far could they move without anyone seeing it in the prices
(`near_optimal.py`).
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.numbers import PERCENT, number, percent
from calibscope.calibration.near_optimal.local_minima import LocalMinima, local_minima
from calibscope.calibration.near_optimal.near_optimal import NearOptimalSet, near_optimal
from calibscope.calibration.near_optimal.plausible import Plausible
from calibscope.calibration.problem import PERFECT
from calibscope.calibration.search import search_for
from calibscope.calibration.solution import Fit
from calibscope.models.model import Model

BETTER = 1e-6  # relative in the objective: an optimum of the local minima beats the fit
MATERIAL = (
    1.5  # high over low from which a range is worth a word; without a logarithm, log(1.5) apart
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What there is to say for and against a fit."""

    parameters: Model  # of the fit
    rmsre: float
    objective: float
    local_minima: LocalMinima
    near_optimal: NearOptimalSet
    box: Plausible
    plausible_fit: Model | None  # the fit itself if it is plausible; None if nothing in the box is
    plausible_rmsre: float  # nan if there is none

    @property
    def is_best(self) -> bool:
        """Whether no better optimum was found."""
        return self.objective <= self.local_minima.best.objective * (1.0 + BETTER) + 1e-20

    @property
    def is_plausible(self) -> bool:
        """Whether the parameters lie inside the box."""
        return not self.box.reasons(self.parameters)

    @property
    def plausible_cost(self) -> float:
        """RMSRE of the best plausible fit less that of the fit.

        RMSRE_plausible - RMSRE (paper, eq. rmsre_objective).
        """
        return self.plausible_rmsre - self.rmsre

    @property
    def sentences(self) -> tuple[str, ...]:
        """The evidence in a few sentences."""
        return self._optima(), self._plausibility(), self._width()

    def __str__(self) -> str:
        return " ".join(self.sentences)

    def _optima(self) -> str:
        optima, best, second = (
            self.local_minima.optima,
            self.local_minima.best,
            self.local_minima.runner_up,
        )
        if not self.is_best:
            return (
                "There is a better optimum than this fit: RMSRE "
                f"{PERCENT.text(best.rmsre, '.6g')} against "
                f"{PERCENT.text(self.rmsre, '.6g')}, at {_words(best.parameters)}."
            )
        share = f"{percent(best.share_of_starts, 0)} of {self.local_minima.starts} starts end in it"
        if second is None:
            text = f"One optimum was found, with RMSRE {_percent(best.rmsre)}; {share}"
        elif self.local_minima.is_same_fit_other_parameters:
            text = (
                f"{len(optima)} optima were found; the runner-up fits equally well (RMSRE "
                f"{_percent(second.rmsre)} against {_percent(best.rmsre)}) with other parameters, "
                f"{_words(second.parameters)}; {share.replace('it', 'the best')}"
            )
        else:
            gap = self.local_minima.gap
            more = (
                f"{PERCENT.text(gap, '.2g')} more"
                if gap < 1
                else f"{number(1 + gap, '.2g')} times as much"
            )
            text = (
                f"{len(optima)} optima were found; the best has RMSRE {_percent(best.rmsre)}, "
                f"the runner-up {_percent(second.rmsre)} ({more}, at "
                f"{_leading(second.parameters)}); {share.replace('it', 'the best')}"
            )
        if best.has_equal_speeds:
            text += "; its two speeds are equal: a one-factor model"
        elif not best.is_strict:
            text += "; its Hessian is not positive definite: some direction is flat to rounding"
        return text + "."

    def _plausibility(self) -> str:
        if self.is_plausible:
            return "Its parameters are plausible."
        reasons = self.box.reasons(self.parameters)
        why = " and ".join([", ".join(reasons[:-1]), reasons[-1]] if reasons[1:] else reasons)
        if self.plausible_fit is None:
            return f"The fit is implausible: {why}; the bounds allow no plausible one."
        more = self.plausible_cost / max(self.rmsre, PERFECT)
        told = PERCENT.text(abs(more), ".2g")
        told += " more" if more >= 0 else " less, without the pull of the anchor"
        return (
            f"The fit is implausible: {why}; the best plausible one has RMSRE "
            f"{_percent(self.plausible_rmsre)} ({told}), with "
            f"{_words(self.plausible_fit)}."
        )

    def _width(self) -> str:
        found = self.near_optimal
        if not found.is_inside:
            return "The fit itself leaves the range between bid and ask."
        limit = (
            "all prices stay between bid and ask"
            if found.factor is None
            else f"{found.measure} stays within {found.factor:g} times the best"
        )
        size = found.specs.solver.of(found.high) - found.specs.solver.of(found.low)
        size = size / found.specs.sizes
        if size.max() < 1e-3:
            return f"While {limit}, no parameter moves by more than 0.1 %."
        widest = [int(p) for p in np.argsort(-size)[:3] if size[p] >= np.log(MATERIAL)]
        if not widest:
            p = int(np.argmax(size))
            return (
                f"While {limit}, no parameter moves much; the widest range is "
                f"{_range(found, p, ' from')}."
            )
        first, *others = sorted(widest)
        ranges = [_range(found, first, " can be anything from")]
        ranges += [_range(found, p, " from") for p in others]
        text = " and ".join([", ".join(ranges[:-1]), ranges[-1]] if ranges[1:] else ranges)
        return f"While {limit}, {text}."


def evidence(
    fit: Fit, factor: float = 1.1, box: Plausible | None = None, *, bid_ask: bool = False
) -> Evidence:
    """Local minima, near-optimal set and plausible fit of a fit.

    The range of a parameter: all t at which the least f with p = t is at most factor^2 times the
    least f, as in a profile (Bates and Watts, 1988, section 6.1).

    Parameters
    ----------
    fit : of `calibrate`
    factor : of the near-optimal set, see `near_optimal`
    box : what is plausible; None means what the model says
    bid_ask : the near-optimal set within bid and ask instead

    Returns
    -------
    Evidence
        optima, ranges, and the best plausible fit

    Examples
    --------
    >>> from calibscope.calibration.calibrate import calibrate
    >>> from calibscope.market.demo import demo_market
    >>> found = evidence(calibrate(demo_market().day("2016-09-05")))
    >>> found.sentences[0]
    'One optimum was found, with RMSRE 1.05 %; 100 % of 96 starts end in it.'
    """
    problem, search = fit.problem, search_for(fit.problem.model)
    bench, box = search.bench(problem), box or search.plausibility(problem.model)
    known = [fit.parameters, *(model for _, model in fit.candidates)]
    optima = local_minima(problem, known, bench)
    best = optima.best
    is_better = best.objective < fit.objective * (1.0 - BETTER)
    centre = best.parameters if is_better else fit.parameters
    known = [optimum.parameters for optimum in optima.optima]
    if not box.reasons(fit.parameters):
        plausible: Model | None = fit.parameters
    else:
        plausible = box.fit(problem)
        known += [plausible] if plausible is not None else []
    return Evidence(
        parameters=fit.parameters,
        rmsre=fit.rmsre,
        objective=fit.objective,
        local_minima=optima,
        near_optimal=near_optimal(
            problem, centre, factor, bid_ask=bid_ask, known=known, bench=bench
        ),
        box=box,
        plausible_fit=plausible,
        plausible_rmsre=float("nan") if plausible is None else problem.rmsre(plausible.values),
    )


def _percent(value: float) -> str:
    """As wherever an RMSRE is shown; rounding errors count as nothing."""
    return percent(value) if value > PERFECT else "0 %"


def _words(model: Model) -> str:
    named = zip(model.specs.names, model.values, strict=True)
    return ", ".join(f"{name} = {number(value)}" for name, value in named)


def _leading(model: Model) -> str:
    """The first parameter, enough to tell two optima apart."""
    return f"{model.specs.names[0]} = {number(model.values[0])}"


def _range(found: NearOptimalSet, p: int, words: str) -> str:
    low, high = number(found.low[p], ".2g"), number(found.high[p], ".2g")
    low += " (its bound)" if found.is_low_at_bound[p] else ""
    high += " (its bound)" if found.is_high_at_bound[p] else ""
    return f"{found.specs.names[p]}{words} {low} to {high}"
