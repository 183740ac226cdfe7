"""Draw docs/demo.svg: what `calibscope demo` prints. Run it when that changes."""

import io
from pathlib import Path

from rich.console import Console

from calibscope.report.demo import demo_page, run_demo

# Rich's own template fetches a web font; this one asks for nothing.
TEMPLATE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""

if __name__ == "__main__":
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(demo_page(run_demo(Path("calibscope-demo"))))
    picture = console.export_svg(title="calibscope demo", code_format=TEMPLATE, unique_id="demo")
    (Path(__file__).parent / "demo.svg").write_text(picture, encoding="utf-8")
