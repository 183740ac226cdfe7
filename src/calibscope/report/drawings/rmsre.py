"""The fit over time, with the limits of the study."""

import numpy as np

from calibscope.base.numbers import PERCENT, counted, percent
from calibscope.report.document import Drawing
from calibscope.report.drawings.canvas import WIDTH, Canvas
from calibscope.report.drawings.over_time import draw_time, place_of, time_axis
from calibscope.report.drawings.scales import Axis
from calibscope.report.figures.style import BLUE
from calibscope.study.study import Study

LEFT, TOP, BOTTOM, HEIGHT = 44, 52, 156, 178
COLOURS = {"amber": "#E69F00", "red": "#8C1D18"}


def rmsre_over_time(study: Study) -> Drawing:
    """RMSRE day by day on a log scale, the limits as lines, and the latest day as a dot."""
    canvas = Canvas(HEIGHT)
    fitted = study.fitted
    sizes = 100 * study.days["rmsre"].astype(float)
    known = sizes[sizes > 0]
    limits = study.settings.governance.limits.get("rmsre")
    ends = {
        name: 100 * limit
        for name in COLOURS
        if limits is not None and (limit := getattr(limits, name)) is not None
    }
    low = float(known.min()) / 1.15
    high = 1.5 * max([float(known.max()), *ends.values()])
    axis = Axis(low, high, BOTTOM, TOP, is_log=True)
    across = time_axis(study, LEFT, WIDTH - 4)
    canvas.upright(axis, LEFT, WIDTH - 4)
    canvas.text(0, TOP - 8, "RMSRE, % (log scale)", size=11, colour="#555555")
    draw_time(canvas, study, across, TOP, BOTTOM)
    runs: list[list[tuple[float, float]]] = [[]]
    for date, size in zip(study.days["date"], sizes, strict=True):
        if np.isfinite(size) and size > 0:
            runs[-1].append((place_of(across, date), axis(size)))
        elif runs[-1]:
            runs.append([])
    canvas.polyline(runs, BLUE)
    for name, value in ends.items():
        canvas.line(LEFT, axis(value), WIDTH - 4, axis(value), COLOURS[name], 1.5, "6 4")
        canvas.text(WIDTH - 6, axis(value) - 4, f"{name} from {value:g} %", "end", size=11,
                    colour="#8a5a00" if name == "amber" else COLOURS[name])  # fmt: skip
    last = fitted.iloc[-1]
    canvas.circle(place_of(across, last["date"]), axis(100 * last["rmsre"]), "#222222")
    worst = fitted.loc[fitted["rmsre"].idxmax()]
    finding = (
        f"The median RMSRE is {percent(fitted['rmsre'].median())}, the highest "
        f"{percent(worst['rmsre'])} on {worst['date']:%Y-%m-%d}"
    )
    if "amber" in ends:
        above = int((100 * fitted["rmsre"] >= ends["amber"]).sum())
        limit = PERCENT.text(ends["amber"] / 100, "g")
        finding += f"; {counted(above, 'day is', 'days are')} at {limit} or above"
    finding += f". The latest day (dot) has {percent(last['rmsre'])}."
    alt = f"The RMSRE of each day as a line on a log scale. {finding}"
    return Drawing(canvas.svg("How good is the fit?", study.is_synthetic), alt, finding)
