"""What these diagnostics cannot say."""

from calibscope.base.numbers import PERCENT
from calibscope.diagnosis.settings import USUAL
from calibscope.report.document import Listing, Section, section
from calibscope.report.sections.study_quotes import strikes_sentence
from calibscope.study.statistics.misfit import noise_sentence
from calibscope.study.study import Study


def limits(study: Study) -> Section:
    """A list, with what the history says of the noise."""
    return section(
        "limits", "Limits", Listing("What this report does not say", tuple(_lines(study)))
    )


def _lines(study: Study) -> list[str]:
    found = [
        "Whether the model is right, or its scenarios are sensible: it says whether the quotes "
        "determine the parameters today. It does not replace an economic validation.",
        "What happens far from the fit: leverage, influence and delta intervals describe its "
        "neighbourhood. Where the linear approximation is more than "
        f"{PERCENT.text(USUAL.curvature)} off, refits and profile intervals count.",
        f"Anything about quotes that are not here: {strikes_sentence(study)}, and one curve both "
        "discounts and gives the forward rates.",
        "That a short interval is precise: one that collapsed because rank was lost is marked, and "
        "uninformative.",
        noise_sentence(study),
        "Anything about the Euro market: the quotes are synthetic." if study.is_synthetic else "",
    ]
    return [line for line in found if line]
