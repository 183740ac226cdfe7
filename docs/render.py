"""Draw a Plotly figure as PNG with the system's Chromium, for the documentation."""

import subprocess
import tempfile
from pathlib import Path

import plotly.graph_objects as go

CHROMIUM = [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--force-device-scale-factor=1.5",
    "--virtual-time-budget=5000",
]


def render(figure: go.Figure, path: Path, width: int = 1000, height: int = 560) -> None:
    """Write `figure` to the PNG file `path`."""
    figure.update_layout(width=width, height=height)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        html = figure.to_html(include_plotlyjs=True, config={"displayModeBar": False})
        page.write_text(html.replace("<body>", '<body style="margin:0">'), encoding="utf-8")
        subprocess.run(
            [
                *CHROMIUM,
                f"--user-data-dir={folder}/profile",
                f"--window-size={width},{height}",
                f"--screenshot={path.resolve()}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )
