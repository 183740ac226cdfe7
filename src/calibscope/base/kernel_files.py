"""Machine code on disk that is checked before it is run.

Numba trusts its cache: a truncated file stops every process, a changed byte may compute another
number, and a full disk fails the day that is being calibrated. Here every file begins with the
SHA-256 of the rest. What does not match is compiled anew, and a file that cannot be written costs
nothing but time; both are said once a process.

Numba documents neither the class of its cache's files nor that of its folders;
`test_kernel_files.py` fails when one of them changes.
"""

import hashlib
import io
import logging
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core import caching

logger = logging.getLogger("calibscope")

SIZE = hashlib.sha256().digest_size
DAMAGED = "the kernel files in %s are damaged; compiling them again (once; about a minute) ..."
UNWRITABLE = "kernels cannot be kept in %s (%s); every process compiles them for itself"

saying, said = threading.Lock(), set[str]()


class KernelFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The files of one kernel: an index by signature, and machine code."""

    def save(self, key: Any, data: Any) -> None:
        """Keep machine code, where the disk allows."""
        try:
            super().save(key, data)
        except OSError as error:
            _say_once(UNWRITABLE, self._cache_path, error.strerror or str(error))

    def _load_index(self) -> dict[Any, str]:
        content = self._read(Path(self._index_path))
        if content is None:
            return {}
        stream = io.BytesIO(content)
        if pickle.load(stream) != self._version:  # what follows may not be for this Numba
            return {}
        stamp, overloads = pickle.load(stream)
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        index = self._dump((self._source_stamp, overloads))
        self._write(self._index_path, pickle.dumps(self._version) + index)

    def _load_data(self, name: str) -> Any:
        content = self._read(Path(self._data_path(name)))
        return None if content is None else pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def _read(self, path: Path) -> bytes | None:
        """What was written there; None if that is not what is there now."""
        try:
            content = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content[SIZE:]).digest() == content[:SIZE]:
            return content[SIZE:]
        _say_once(DAMAGED, self._cache_path)
        return None

    def _write(self, path: str, content: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(content).digest() + content)


(UserFolder, *_) = caching.CacheImpl._locator_classes  # its name changed with Numba 0.62


class KernelFolder(UserFolder):  # type: ignore[misc, valid-type]
    """Our folder, also on a disk that is full."""

    def ensure_cache_path(self) -> None:
        """Make the folder; whether it can be written is seen when it is."""
        with suppress(OSError):
            Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)


@contextmanager
def checked_files() -> Iterator[None]:
    """Kernels that are declared in the block have files that are checked."""
    before = caching.IndexDataCacheFile, caching.CacheImpl._locator_classes
    caching.IndexDataCacheFile = KernelFiles
    caching.CacheImpl._locator_classes = [KernelFolder]
    try:
        yield
    finally:
        caching.IndexDataCacheFile, caching.CacheImpl._locator_classes = before


def _say_once(text: str, folder: str, *reasons: str) -> None:
    with saying:
        if text not in said:
            said.add(text)
            logger.warning(text, Path(folder).parent, *reasons)
