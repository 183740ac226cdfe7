"""Look for dead links in the built pages: `python docs/check_links.py docs/_build/html`.

Internal links (pages, files, anchors) must lead somewhere, and no page may need another host to be
read: scripts, styles, fonts and pictures come from the folder itself.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Page(HTMLParser):
    """Anchors, links and loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        given = {name: value for name, value in attrs if value}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given and given.get("rel") != "canonical":
            self.loaded.append(given[LOADED[tag]])


def dead_links(folder: Path) -> list[str]:
    """Every link that leads nowhere, and every file asked of another host.

    Parameters
    ----------
    folder : of the built pages

    Returns
    -------
    list of str
        One sentence each; empty is good.
    """
    pages = {
        path.resolve(): Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")
    }
    problems = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    problems.append(f"{name}: loads {link} from another host")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                problems.append(f"{name}: {link} leads nowhere")
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].anchors
            ):
                problems.append(f"{name}: {link} names no anchor of {target.name}")
    return sorted(set(problems)) if pages else [f"{folder}: no pages"]


if __name__ == "__main__":
    found = dead_links(Path(sys.argv[1]))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} dead links")
    sys.exit(bool(found))
