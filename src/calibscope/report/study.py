"""What `calibscope run` and `calibscope demo` show of a study: one screen."""

from rich.console import RenderableType
from rich.text import Text

from calibscope.study.governance import Light
from calibscope.study.study import Study

COLOURS = {Light.GREEN: "green", Light.AMBER: "yellow", Light.RED: "red"}


def study_page(study: Study) -> RenderableType:
    """A first look at a history."""
    return Text(repr(study))
