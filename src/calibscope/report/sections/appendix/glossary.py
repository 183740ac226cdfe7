"""Special words, explained where they first appear and here, and the paper they come from."""

from calibscope.report.document import Anchored, Paragraph, Section, Term, section, table
from calibscope.report.sections.appendix.formulas import formula_table

PAPER = (
    "Philipp Mahler and Peter Ruckdeschel, **Advanced Calibration Analysis and Tools: Identifying "
    "Influential Observations in Stochastic Interest Rate Model Calibration**. Manuscript, "
    "Fraunhofer Institute for Industrial Mathematics ITWM, Kaiserslautern; RPTU "
    'Kaiserslautern-Landau; University of Oldenburg. Called "the paper" in this report; equation '
    "names are its own."
)
TERMS = (
    (
        "RAG status",
        "RAG status(?:es)?|status|statuses",
        "red, amber or green: whether somebody should look at a day, by the thresholds in "
        "force; not whether a number is right",
    ),
    (
        "RMSRE",
        "RMSRE",
        "root mean squared relative error: the typical pricing error as a share of the price",
    ),
    (
        "EDoF",
        "EDoF",
        "effective degrees of freedom: how many parameter combinations the quotes determine",
    ),
    (
        "leverage",
        "[Ll]everage",
        "how strongly a quote pulls the fit towards itself: 0 not at all, 1 completely",
    ),
    (
        "Cook's distance",
        "Cook's distance",
        "how far all parameters together would move if a quote were left out; above 1 is "
        "substantial",
    ),
    (
        "DFBETAS",
        "DFBETAS",
        "how far one parameter would move if a quote were left out, in its standard errors",
    ),
    (
        "influence score",
        "influence score",
        "the paper's ranking of quotes: the length of their influence on all parameters, "
        "whose units it mixes",
    ),
    (
        "profile interval",
        r"profile intervals?|intervals? \(profile\)|by profile",
        "all values of a parameter for which the other parameters can be refitted so that the "
        "fit stays statistically as good",
    ),
    (
        "delta method",
        r"delta intervals?|delta method|intervals? \(delta\)",
        "intervals from a linear approximation at the fit: quick, and often too short",
    ),
    (
        "near-optimal set",
        "near-optimal (?:set|ranges?|fits?)",
        "all parameters whose RMSRE is within a tenth of the best",
    ),
    (
        "best plausible fit",
        "best plausible fits?",
        "the best fit among parameters within the plausible bounds of the assumptions",
    ),
    (
        "Noether flag",
        "Noether (?:flag|condition)",
        "raised when the leverage of one quote is close to 1: then the usual large-sample "
        "arguments do not hold",
    ),
    (
        "challenger fit",
        "challenger fits?",
        "a fit of a red day without its dominant quote, or with half its weight, for comparison",
    ),
    (
        "refit",
        "[Rr]efits?|fitted again",
        "the calibration repeated with a change, such as without a quote; no approximation",
    ),
    (
        "Gauss-Newton",
        "Gauss-Newton",
        "the linear approximation of the fit, which leaves out second derivatives of prices",
    ),
    (
        "identified",
        "identif(?:y|ies|ied)",
        "determined by the quotes: another value would price them differently",
    ),
)


def anchor_of(term: str) -> str:
    """By which the entry of a term is found."""
    return "term-" + "".join(c if c.isalnum() else "-" for c in term.lower())


def terms() -> tuple[Term, ...]:
    """For the page, which explains each where it first appears."""
    return tuple(Term(anchor_of(name), pattern, text) for name, pattern, text in TERMS)


def glossary() -> Section:
    """Formulas, words, and the paper in full."""
    return section(
        "glossary",
        "Formulas, glossary and the paper",
        formula_table(),
        table(
            "Glossary",
            ("term", "meaning"),
            [
                (Anchored(name, anchor_of(name)), text)
                for name, _, text in sorted(TERMS, key=lambda term: term[0].lower())
            ],
        ),
        Paragraph(PAPER),
    )
