r"""The formulas behind the numbers, typeset, with the equations of the paper."""

from calibscope.report.document import Table, Typeset, table
from calibscope.report.render.mathml import mathml

FORMULAS = (
    ("RMSRE", "root of the mean of ((g_k - y_k)/y_k)^2",
     r"\sqrt{\frac{1}{m} \sum_{k=1}^m {(\frac{g_k - y_k}{y_k})}^2}", "rmsre_objective"),
    ("Weighted hat matrix", "H_w = A (A^T A)^+ A^T with A = W^(1/2) J",
     r"H_w = A {(A^T A)}^+ A^T \text{ with } A = W^{1/2} J", "hat_matrix"),
    ("Leverage", "h_kk, the diagonal of H_w", r"h_{kk} = {(H_w)}_{kk}", "hat_matrix"),
    ("EDoF", "trace of H_w: singular values of A above the tolerance",
     r"\tr (H_w)", "hat_matrix"),
    ("Cook's distance", "D_k = r_k^2 h_kk / (p (1 - h_kk)), r_k the studentised residual",
     r"D_k = \frac{r_k^2}{p} \frac{h_{kk}}{1 - h_{kk}}", ""),
    ("DFBETAS", "shift of a parameter without quote k, over its standard error",
     r"\frac{p_j - p_{j(k)}}{s_{(k)} \sqrt{{(J^T W J)}_{jj}^{+}}}", ""),
    ("Influence score", "length of the residual times (J^T W J)^+ J^T W, by quote",
     r"\norm {(J^T W J)}^+ {(J^T W)}_k e_k \norm", "influence_function"),
    ("Covariance", "sigma^2 (J^T W J)^+", r"\sigma^2 {(J^T W J)}^+", "cov"),
    ("Delta interval", "log for speeds and volatilities, arctanh for the correlation",
     r"f(p_j) \pm t \sigma_j f'(p_j) \text{ with } f = \log \text{ or } \artanh", "delta method"),
    ("Profile interval", "values t whose refit has S(t) up to S (1 + F/(m - p))",
     r"\min_{p_j = t} S \le S_{\min} ( 1 + \frac{F}{m - p} )", ""),
)  # fmt: skip


def formula_table() -> Table:
    """Quantity, formula, equation."""
    rows = [
        (quantity, Typeset(text, mathml(tex)), equation)
        for quantity, text, tex, equation in FORMULAS
    ]
    columns = ("quantity", "formula", "equation of the paper")
    return table("Formulas (g model, y market, m quotes, p parameters, J Jacobian)", columns, rows)
