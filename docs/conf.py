"""How `make docs` builds the pages: Sphinx, without network, without scripts of other hosts."""

import logging
import os
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

import calibscope

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE)]  # `figures` of the gallery is here
# Figures of the gallery and of notebooks (which run in a process of their own) become HTML.
os.environ["PLOTLY_RENDERER"] = "sphinx_gallery"
os.environ["PYTHONWARNINGS"] = "default"

project = "calibscope"
author = "the calibscope authors"
version = release = calibscope.__version__
language = "en-GB"

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_nb",
    "field_comments",
    "page_style",
    "mathml",
    "one_plotly",
]
exclude_patterns = ["_build", "gallery", "generated/**/*.ipynb", "generated/**/*.py"]
root_doc = "index"
nitpicky = True
# A folder of pages may be empty, as the gallery is in a clone without its scripts.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", "") != "empty_glob"
)
# Tables, figures and dates come from other packages, whose pages lie on other hosts.
nitpick_ignore_regex = [("py:class", r"(pd|np|npt|go|datetime)\..*")]
default_role = "code"

# Markdown: what GitHub shows, Sphinx shows.
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_timeout = 600  # the first run compiles kernels
nb_execution_raise_on_error = True
nb_merge_streams = True

# The reference
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # `page_style` writes signatures
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_default_options = {"members": True}
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True

# The gallery: docs/gallery/plot_*.py, shown by sphinx-gallery once there is one.
if any((HERE / "gallery").glob("plot_*.py")):
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": "gallery",
        "gallery_dirs": "generated/gallery",
        "filename_pattern": r"plot_\w+\.py$",
        "ignore_pattern": r"demo_study\.py$",
        "capture_repr": ("_repr_html_",),
        "image_scrapers": (),
        "reset_modules": (),
        "within_subsection_order": "FileNameSortKey",
        "remove_config_comments": True,
        "abort_on_example_error": True,
        "download_all_examples": False,
        "plot_gallery": True,
        "show_memory": False,
        "min_reported_time": 60,
        "show_signature": False,
        "write_computation_times": False,
    }

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"calibscope {release}"
html_static_path = ["_static"]
html_css_files = ["calibscope.css"]
html_show_sphinx = html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "font-stack": "Helvetica, Arial, sans-serif",
        "color-brand-primary": "#005a8c",
        "color-brand-content": "#005a8c",
        "color-brand-visited": "#005a8c",
        "color-foreground-primary": "#222",
        "color-foreground-secondary": "#595959",
        "color-highlight-on-target": "#fff3d6",
    },
    "dark_css_variables": {
        "color-brand-primary": "#56b4e9",
        "color-brand-content": "#56b4e9",
        "color-brand-visited": "#56b4e9",
    },
}


def setup(app: Sphinx) -> None:
    """Show what has no lexer as plain text, under its own name."""
    for name in ("csv", "cron"):
        app.add_lexer(name, TextLexer)
