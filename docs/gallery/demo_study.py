"""The study of the synthetic demo market that the pictures of the gallery share.

It is run once into the build folder, in some two minutes; every script that needs it opens it.
The file is named after the text of the package, so that edited code is not shown with old results.
"""

import hashlib
from functools import cache
from pathlib import Path

import calibscope as cs

FOLDER = Path(__file__).parents[1] / "_build" / "demo"


@cache
def demo_store() -> Path:
    """The store of the study: `cs.run_study` computes what is not yet in it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    store = FOLDER / f"study-{_digest_of_package()}.db"
    cs.run_study(cs.demo_market(), store)
    return store


def _digest_of_package() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(cs.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
