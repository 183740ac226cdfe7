"""What a study was calibrated to: caps, floors, strikes, and quotes that are interpolated."""

from calibscope.base.numbers import counted
from calibscope.study.study import Study

LONGEST_LIST = 8  # quotes by name


def quoted_kinds(study: Study) -> str:
    """What the quotes are: "caps and floors", or "caps and other instruments".

    Parameters
    ----------
    study : the history

    Returns
    -------
    str
        the kinds that are quoted on some day
    """
    kinds = set(study.labels["kind"])
    words = [f"{kind}s" for kind in ("cap", "floor") if kind in kinds]
    if kinds - {"cap", "floor"}:
        words.append("other instruments" if words else "instruments other than caps")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "caps"


def strikes_sentence(study: Study) -> str:
    """Which of the caps and floors are at the money, as part of a sentence.

    Parameters
    ----------
    study : the history

    Returns
    -------
    str
        such as "3 of 16 caps and floors have a strike away from the money, the others are at it"
    """
    labels = study.labels[study.labels["kind"].isin(["cap", "floor"])]
    words = [f"{kind}s" for kind in ("cap", "floor") if kind in set(labels["kind"])]
    kinds = " and ".join(words) or "caps"
    struck = int(labels["label"].str.contains("@").sum())
    if not struck:
        return f"{kinds} are at the money"
    if struck == len(labels):
        return f"{kinds} have strikes away from the money"
    return (
        f"{struck} of {len(labels)} {kinds} have strikes away from the money, the others are at it"
    )


def interpolated_sentence(study: Study) -> str:
    """How many quotes are marked as interpolated; empty if none is.

    Parameters
    ----------
    study : the history

    Returns
    -------
    str
        with the labels and their days
    """
    marked = study.quotes[study.quotes["is_interpolated"].fillna(False).astype(bool)]
    if marked.empty:
        return ""
    counts = marked["label"].value_counts()
    named = [
        f"{name} on {counted(days, 'day')}" for name, days in counts.head(LONGEST_LIST).items()
    ]
    more = f" and {len(counts) - LONGEST_LIST} more" * (len(counts) > LONGEST_LIST)
    are = "quote is", "quotes are"
    return (
        f"{counted(len(marked), *are)} marked as interpolated: {', '.join(named)}{more}. "
        "checks.interpolated = 'drop' leaves them out."
    )
