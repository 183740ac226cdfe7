"""What a metric is: a number of a day, a quote, a parameter, a pair or a direction, described once.

`metrics.py` has the records of those that calibscope stores. A metric from another package is found
by an entry point, in every process, also on the workers of a cluster:

    [project.entry-points."calibscope.metrics"]
    covariance_ratio = "my_package.metrics:COVARIANCE_RATIO"

It is kept in a table of its own (`study.metrics`), and is part of the hash of the settings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from calibscope.base.brief import brief
from calibscope.base.entry_points import announced, loaded
from calibscope.base.errors import EntryPointError
from calibscope.base.numbers import Shown
from calibscope.base.spelling import choose_from
from calibscope.study.diagnosed import Diagnosed
from calibscope.study.formula import version_of

Per = Literal["day", "quote", "parameter", "pair", "direction"]
Kind = Literal["number", "count", "integer", "flag", "text"]
GROUP = "calibscope.metrics"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that is stored and shown: its name, unit, sentence, formula and limits.

    Examples
    --------
    >>> Metric("mean_leverage", per="day", unit="1", text="mean leverage of the quotes",
    ...        compute=lambda sample: sample.own.leverage.mean(axis=-1), amber=0.6).describe
    'mean_leverage [1]: mean leverage of the quotes'
    """

    name: str
    per: Per
    unit: str  # none for words and flags
    text: str  # a sentence, without capital and full stop
    compute: Callable[[Diagnosed], Any]  # (n,), (n, m), (n, p) or (n, m, p); or words
    kind: Kind = "number"
    amber: float | None = None  # size from which on a day needs review; of quotes, the largest
    red: float | None = None
    phrase: str = ""  # a reason for a RAG status, with {value} and {at}; else name and value
    several: str = ""  # the same where the value is not one, if the phrase counts
    can_be_limited: bool = True  # not where small is bad, or no size means anything

    def __post_init__(self) -> None:
        problems = []
        if not isinstance(self.name, str) or not self.name.isidentifier():
            problems.append(f"name is {brief(self.name)}; give a word with letters, digits and _")
        if self.per not in get_args(Per):
            problems.append(f"per is {brief(self.per)}; {choose_from(get_args(Per), self.per)}")
        if self.kind not in get_args(Kind):
            problems.append(f"kind is {brief(self.kind)}; {choose_from(get_args(Kind), self.kind)}")
        if not self.is_limited and (self.amber, self.red) != (None, None):
            problems.append("amber and red are limits of a number per day or quote")
        if not callable(self.compute):
            problems.append("compute is not a function of a sample of diagnosed days")
        if not self.text:
            problems.append("text is empty; say in a few words what it is")
        if problems:
            raise ValueError(f"metric {brief(self.name)}: {'; '.join(problems)}")

    @property
    def describe(self) -> str:
        """Name, unit and sentence."""
        return f"{self.name}{f' [{self.unit}]' if self.unit else ''}: {self.text}"

    @property
    def described(self) -> "DescribedMetric":
        """What a reader must know who does not have the package."""
        return DescribedMetric(self.per, self.kind, self.unit, self.text)

    @property
    def is_limited(self) -> bool:
        """Whether a limit can be set on its size."""
        return self.can_be_limited and self.per in ("day", "quote") and self.kind in NUMERIC

    @property
    def version(self) -> str:
        """A hash of the formula, and of what it is of: results with another one are others.

        `study/formula.py` says what is part of it.
        """
        return version_of(self.compute, self.per, self.kind)

    def reason(self, value: float, at: str | None) -> str:
        """What a person reads where the value exceeds a limit.

        Parameters
        ----------
        value : of the metric, or the largest of its values
        at : the quote that has it; None for a metric of the whole day

        Returns
        -------
        str
            a few words
        """
        where = f" at {at}" if at else ""
        phrase = self.phrase or f"{self.name} {{value:.3g}}{where}"
        phrase = self.several if self.several and value != 1 else phrase
        return phrase.format(value=Shown(value), at=at)


@dataclass(frozen=True, slots=True)
class DescribedMetric:
    """A metric without its formula, as a study keeps it."""

    per: Per
    kind: Kind
    unit: str
    text: str


NUMERIC = ("number", "count", "integer")
_REGISTERED: dict[str, Metric] = {}


def register_metric(metric: Metric) -> Metric:
    """Make a metric known, in this process.

    Studies keep it from then on, exports and pages show it, and its limits count for RAG statuses.

    Parameters
    ----------
    metric : with a name of its own

    Returns
    -------
    Metric
        the same
    """
    if not isinstance(metric, Metric):
        raise TypeError(f"expected a Metric, got {brief(metric)}")
    _refuse(metric)
    _REGISTERED[metric.name] = metric
    return metric


def further_metrics() -> dict[str, Metric]:
    """Those that are not calibscope's own, by name."""
    found = {name: _loaded(name) for name in announced(GROUP)}
    return dict(sorted({**found, **_REGISTERED}.items()))


def metric_with(name: str, version: str) -> Metric:
    """A further metric, if it is here with this formula.

    Raises
    ------
    LookupError
        if it is not
    """
    metric = further_metrics().get(name)
    if metric is None:
        raise LookupError(
            f"the metric {name} is not known here; install the package that announces it (entry "
            f"point {GROUP}), on every worker"
        )
    if metric.version != version:
        raise LookupError(
            f"the metric {name} has another formula here; install the same version everywhere"
        )
    return metric


def _refuse(metric: Metric) -> None:
    """What the table of further metrics cannot hold."""
    from calibscope.study.metrics import METRICS

    if metric.name in {own.name for own in METRICS}:
        raise ValueError(f"{metric.name} is a metric of calibscope; give another name")
    if metric.kind == "text":
        raise ValueError(f"{metric.name} is a text; metrics of other packages are numbers or flags")


@cache
def _loaded(name: str) -> Metric:
    point = announced(GROUP)[name]
    metric = loaded(point)
    if not isinstance(metric, Metric) or metric.name != name:
        raise EntryPointError(point, f"it is not a Metric of the name {name}")
    try:
        _refuse(metric)
    except ValueError as error:
        raise EntryPointError(point, str(error)) from None
    return metric
