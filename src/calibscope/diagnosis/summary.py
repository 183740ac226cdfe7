"""The summary: one or two sentences on a fit, in the manner of the paper's table of cases.

Rules are data. For each topic of the first sentence the first rule that applies speaks; the second
sentence, if any, holds the first cautions that apply. A rule applies when all of its flags are
raised.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from calibscope.diagnosis.flags import Flags

MOST_CAUTIONS = 2


@dataclass(frozen=True, slots=True)
class Rule:
    """If all flags are raised, say this."""

    topic: str
    flags: tuple[str, ...]
    text: str

    def applies(self, flags: Flags) -> bool:
        """Whether all flags of the rule are raised."""
        return all(getattr(flags, name) for name in self.flags)


RULES = (
    Rule("effective_degrees", ("has_no_information",), "The {quotes} determine no parameter"),
    Rule(
        "effective_degrees",
        ("has_rank_loss", "has_unidentified_parameters"),
        "Reduced EDoF ({edof} of {parameters}): {combination}",
    ),
    Rule("effective_degrees", ("has_rank_loss",), "Reduced EDoF ({edof} of {parameters})"),
    Rule("effective_degrees", (), "{full}"),
    Rule("bounds", ("has_parameters_at_bound",), "{bounds}"),
    Rule("leverage", ("has_no_information",), "no fit to speak of"),
    Rule("leverage", ("has_forced_quote",), "{forced}"),
    Rule("leverage", ("has_leverage_near_one",), "{lever}"),
    Rule("leverage", (), "no quote decides alone"),
    Rule("caution", ("is_off_optimum",), "this is not an optimum, so read little into the rest"),
    Rule(
        "caution",
        ("is_saturated",),
        "there are too few {quotes} to tell noise from fit, so intervals need a known noise "
        "(scale=0.003)",
    ),
    Rule(
        "caution",
        ("lacks_robust_scale",),
        "there is no robust scale of the noise",
    ),
    Rule(
        "caution", ("is_perfect",), "all {quotes} are met exactly, so there is no noise to measure"
    ),
    Rule(
        "caution",
        ("has_indefinite_hessian",),
        "the fit is not a strict minimum, so predicted shifts of parameters are meaningless",
    ),
    Rule("caution", ("has_large_residual",), "{outlier}"),
    Rule(
        "caution",
        ("has_strong_curvature",),
        "the linear approximation is {curvature} off here, so check predicted shifts by refits",
    ),
    Rule(
        "caution",
        ("has_influential_quote",),
        "removing {influencer} would change the parameters substantially (Cook's distance {cook})",
    ),
    Rule(
        "caution",
        ("has_masking",),
        "a few large residuals inflate the noise estimate",
    ),
)


class ByName(Protocol):
    """What looks up a fact by its name."""

    def __getitem__(self, name: str, /) -> Any: ...


def summary(flags: Flags, facts: ByName) -> str:
    """Put the sentences together.

    Parameters
    ----------
    facts : what the texts of the rules name in braces
    """
    spoken = [
        text
        for topic in ("effective_degrees", "bounds", "leverage")
        for text in islice(
            (rule.text for rule in RULES if rule.topic == topic and rule.applies(flags)), 1
        )
    ]
    cautions = (rule.text for rule in RULES if rule.topic == "caution" and rule.applies(flags))
    sentences = ["; ".join(spoken)]
    if said := list(islice(cautions, MOST_CAUTIONS)):
        sentences.append("; ".join(said))
    return " ".join(_sentence(text.format_map(facts)) for text in sentences)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
