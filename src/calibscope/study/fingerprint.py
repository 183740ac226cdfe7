"""Which code computes: a hash of the sources on which results depend.

A worker of a cluster says with every chunk which code it has (`study/cluster.py`). The version
alone is not enough: a corrected formula or a local change keeps it.
"""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SHOWN_ONLY = ("cli", "report")  # folders that change no number


def code_fingerprint(package: Path = PACKAGE) -> str:
    """SHA-256 of all sources that compute or store, its first 12 digits."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] not in SHOWN_ONLY:
            digest.update(f"{name.as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


# When this module is loaded, with the others: files may change while a worker lives.
CODE = code_fingerprint()
