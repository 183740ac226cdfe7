"""The bounds between which each day was calibrated, from the settings of the run that did it."""

import json

import pandas as pd

from calibscope.calibration.problem import box
from calibscope.study.settings import StudySettings
from calibscope.study.study import Study


def bounds_of_days(study: Study) -> pd.DataFrame:
    """Date x parameter: lower and upper; the same where the parameter was fixed."""
    pieces, specs = [], study.specs
    runs = list(zip(study.runs["run_id"], study.runs["settings"], strict=True))
    # A run killed at once leaves a store without any: then no day is there to have bounds.
    for run_id, settings in runs or [(0, StudySettings().model_dump_json())]:
        chosen = json.loads(settings)["calibration"]
        given = [{name: chosen[what][name] for name in specs.names if name in chosen[what]}
                 for what in ("bounds", "fixed")]  # fmt: skip
        lower, upper = box(specs, *given)
        piece = {"run_id": run_id, "parameter": specs.names, "lower": lower, "upper": upper}
        pieces.append(pd.DataFrame(piece))
    return (
        study.days[["date", "run_id"]].merge(pd.concat(pieces), on="run_id").drop(columns="run_id")
    )
