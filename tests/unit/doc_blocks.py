"""The code blocks of the documentation, and what becomes of them in the tests.

The first word of a block's info string decides:

=====================  =============================================================================
python                 run, all blocks of a page one after the other
console, sh, bash      every `calibscope` command is run; below a command with a prompt ($) stands
                       what it prints. What follows a pipe is left to the shell
toml                   read as settings
another language       shown only: text, csv, r, powershell, json, ...
none                   an error: nobody would know whether it runs
=====================  =============================================================================

`not-run` behind it says that a block cannot run here (``sh not-run``: it needs make, a scheduler).
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
BUILT = ("_build", "generated")
SHELLS = ("console", "sh", "bash")


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    page: str
    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        return self.info.partition(" ")[0]

    @property
    def is_run(self) -> bool:
        runnable = ("python", "toml", *SHELLS)
        return self.language in runnable and "not-run" not in self.info.split()

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command of a shell block, and what the page says that it prints."""

    words: list[str]
    printed: str


def pages() -> list[Path]:
    """The Markdown pages: those at the top, and the documentation."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    inside = [path for path in found if path.relative_to(ROOT / "docs").parts[0] not in BUILT]
    return [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")), *inside]


def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, from top to bottom."""
    name = page.relative_to(ROOT).as_posix()
    for token in tokens(page):
        if token.type == "fence":
            yield Block(name, (token.map or [0])[0] + 1, token.info.strip(), token.content)


def commands(block: Block) -> list[Command]:
    """The commands of a shell block."""
    text = block.text.replace("\\\n", " ")
    if not re.search(r"^\$ ", text, re.MULTILINE):
        return [Command(words, "") for line in text.splitlines() if (words := _words(line))]
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    split = (part.partition("\n") for part in parts)
    return [Command(_words(line), printed) for line, _, printed in split]


def _words(line: str) -> list[str]:
    """The words of a command up to a pipe or a redirection, without variables set for it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>;&")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("|>;&"):
            break
        if words or not re.match(r"[A-Z_]+=", word):
            words.append(word)
    return words
