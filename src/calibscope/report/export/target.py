"""Where an export or a report goes: whole or not at all, and only over an earlier one of its kind.

All is written into a hidden folder beside its place first, and then renamed. A file or a folder
that is already there is replaced if it is an earlier export or report, and refused otherwise. The
hidden folder of a process that was killed is removed by the next one that writes there.
"""

import errno
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calibscope.report.export.work_folder import work_folder

FORMAT = "calibscope export"  # by which an earlier export is recognised
HIDDEN = ".calibscope-"
MANIFEST = "manifest.json"
FULL = "the disk is full; free some space and try again"
CLOSED = "cannot be written; give write access, close it where it is open, or give another name"
CAUSES = {
    errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EFBIG: "is too large for this disk",
    errno.EACCES: CLOSED, errno.EPERM: CLOSED, errno.EROFS: CLOSED, errno.ETXTBSY: CLOSED,
}  # fmt: skip


class ExportError(RuntimeError):
    """An export or a report that cannot be written; what was there before is untouched."""


@contextmanager
def new_file(target: Path, kind: str, is_earlier: Callable[[Path], bool]) -> Iterator[Path]:
    """A path to write to, which becomes the target when all went well.

    Parameters
    ----------
    kind : of file, for the message: "an export of a study"
    is_earlier : whether a file is an earlier one of this kind, which may be replaced
    """
    with _explained(target):
        _check_parent(target)
        if target.exists() and not (target.is_file() and is_earlier(target)):
            raise ExportError(
                f"{target}: exists and is not {kind}, so it is not overwritten; give another name"
            )
        with work_folder(target.parent, HIDDEN) as work:
            yield work / target.name
            (work / target.name).replace(target)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to write to, whose files go to the target when all went well.

    The manifest goes last; files that only the former export had are removed.
    """
    with _explained(target):
        _check_parent(target)
        former = _former_files(target)
        is_new = not target.exists()
        target.mkdir(exist_ok=True)
        try:
            with work_folder(target, HIDDEN) as work:
                yield work
                written = sorted(work.iterdir(), key=lambda file: file.name == MANIFEST)
                for file in written:
                    file.replace(target / file.name)
                for name in former - {file.name for file in written}:
                    (target / name).unlink(missing_ok=True)
        except BaseException:
            if is_new:
                with suppress(OSError):
                    target.rmdir()
            raise


def _check_parent(target: Path) -> None:
    if not target.absolute().parent.is_dir():
        raise ExportError(f"{target}: there is no folder {target.parent}; make it first")


def is_our_workbook(target: Path) -> bool:
    """Whether a file is an earlier export."""
    try:
        with zipfile.ZipFile(target) as archive:
            return FORMAT.encode() in archive.read("docProps/core.xml")
    except (zipfile.BadZipFile, KeyError):
        return False


def _former_files(target: Path) -> set[str]:
    """Those of an export that is replaced; a folder with anything else is refused."""
    if not target.exists():
        return set()
    if not target.is_dir():
        raise ExportError(f"{target}: is a file; give the name of a folder")
    if all(path.name.startswith(HIDDEN) for path in target.iterdir()):
        return set()
    # An export that was killed while it renamed its files has a manifest that was still to go.
    killed = target.glob(f"{HIDDEN}*/{MANIFEST}")
    known = [_files_in(manifest) for manifest in (target / MANIFEST, *killed)]
    if any(known):
        return {name for names in known for name in names}
    raise ExportError(
        f"{target}: is there and holds something else than an export; give a new or empty folder"
    )


def _files_in(manifest: Path) -> set[str]:
    """The files that a manifest of ours names, and itself."""
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))
        if found["format"] == FORMAT:
            return {MANIFEST, *(Path(table["file"]).name for table in found["tables"].values())}
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return set()


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn errors of the operating system into a message for a user."""
    try:
        yield
    except OSError as error:
        cause = CAUSES.get(error.errno or 0, error.strerror or str(error))
        raise ExportError(f"{target}: {cause}") from error
