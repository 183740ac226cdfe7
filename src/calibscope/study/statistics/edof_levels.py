"""How many directions of the parameters the quotes determine, on how many days.

The paper's figure shows bands of the EDoF at integers. Its variants answer other questions: scaled
coordinates forget the units, strict counts no parameter at a bound, and Tikhonov's trace is
not an integer (paper, appendix on Tikhonov EDoF), so it is rounded to the nearest half.
"""

import pandas as pd

from calibscope.study.study import Study

VARIANTS = ("edof", "edof_scaled", "edof_strict", "edof_tikhonov")


def edof_levels(study: Study) -> pd.DataFrame:
    """Days on each level of each variant; only levels that occur.

    EDoF = trace(H_w) = rank(A); Tikhonov's is sum s_j^2 / (s_j^2 + penalty) (paper, figure on the
    EDoF and appendix on its regularised variant).

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        variant, level (highest first), days, share (of the days with results)
    """
    frame = study.fitted.assign(edof_tikhonov=(2 * study.fitted["edof_tikhonov"]).round() / 2)
    tidy = frame.melt(value_vars=list(VARIANTS), var_name="variant", value_name="level")
    table = tidy.groupby(["variant", "level"]).size().rename("days").reset_index()
    table["share"] = table["days"] / len(frame)
    return table.sort_values(["variant", "level"], ascending=[True, False], ignore_index=True)
