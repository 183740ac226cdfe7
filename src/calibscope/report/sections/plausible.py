"""The best plausible fit beside the optimum: on how many days, at what cost, and the latest day."""

from calibscope.base.numbers import estimate, percent
from calibscope.report.document import Block, Column, Table, table
from calibscope.study.statistics.periods import of_days
from calibscope.study.study import Study


def plausible_sentence(study: Study) -> str:
    """How many days have implausible parameters, and what plausible ones cost."""
    fitted = study.fitted
    known = fitted[fitted["plausible_rmsre"].notna()]
    odd = known[known["is_implausible"]]
    if known.empty:
        return ""
    if odd.empty:
        return "The parameters are plausible on all days."
    cost = (odd["plausible_rmsre"] / odd["rmsre"] - 1.0).median()
    return (
        f"The parameters are implausible on {of_days(known['is_implausible'])}; there the best "
        f"plausible fit has an RMSRE that is {percent(abs(cost), 1)} "
        f"{'higher' if cost >= 0 else 'lower'}"
        f"{' (median)' if len(odd) > 1 else ''}."
    )


def plausible_blocks(study: Study) -> list[Block | str]:
    """The sentence, what to do, and both sets of parameters of the last day."""
    sentence = plausible_sentence(study)
    if not sentence:
        return []
    advice = (
        "Next: on implausible days, hand the plausible parameters to the scenarios; they price "
        "the quotes almost as well."
    )
    return [
        sentence,
        advice if study.fitted["is_implausible"].any() else "",
        _last_day(study),
    ]


def _last_day(study: Study) -> Table:
    last = study.fitted.iloc[-1]
    rows = study.parameters[study.parameters["date"] == last["date"]].set_index("parameter")
    cells = [
        (spec.name, rows.loc[spec.name, "estimate"], rows.loc[spec.name, "plausible"], spec.label)
        for spec in study.specs
    ]
    fits = (("RMSRE", percent(last["rmsre"]), percent(last["plausible_rmsre"]), ""),)
    columns = (
        Column("parameter", is_whole=True),
        Column("best fit", estimate),
        Column("best plausible fit", estimate),
        Column("what it is"),
    )
    return table(f"Parameters of {last['date'].date()}", columns, [*cells, *fits])
