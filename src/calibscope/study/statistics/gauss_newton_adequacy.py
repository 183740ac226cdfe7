r"""Whether J^T W J describes the curvature (paper, appendix on the adequacy of Gauss-Newton).

The paper's ratio :math:`|\Delta_{GN}|_F / |2 J^T W J|_F` is decided by the stiff directions. Its
companion `gauss_newton_error` is the largest relative eigenvalue (`linear/curvature.py`): by how
much Gauss-Newton errs in the worst, usually the flattest direction of the free parameters.
"""

import numpy as np
import pandas as pd

from calibscope.study.study import Study

MEASURES = ("gauss_newton_ratio", "gauss_newton_error")


def gauss_newton_adequacy(study: Study) -> pd.DataFrame:
    r"""Mean, median, 90 % quantile and maximum of both measures, over the days where it is finite.

    .. math:: \|\Delta_{GN}\|_F / \|2 J^T W J\|_F \quad\text{and}\quad \max |\mu|

    Source: paper, appendix on the adequacy of Gauss-Newton; `Diagnosis.gauss_newton_error` has mu.

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        measure, days, days_not_finite, mean, median, q90, max
    """
    tidy = study.fitted.melt(value_vars=list(MEASURES), var_name="measure")
    tidy["value"] = tidy["value"].replace([np.inf, -np.inf], np.nan)
    groups = tidy.groupby("measure", sort=False)["value"]
    table = pd.DataFrame(
        {
            "days": groups.count(),
            "days_not_finite": groups.size() - groups.count(),
            "mean": groups.mean(),
            "median": groups.median(),
            "q90": groups.quantile(0.9),
            "max": groups.max(),
        }
    )
    return table.reset_index()
