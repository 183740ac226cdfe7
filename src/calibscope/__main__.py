"""``python -m calibscope`` is ``calibscope``."""

from calibscope.cli import main

main(prog_name="calibscope")
