"""Files that rankmeter writes: whole or not at all, and never one that is being read.

A file is written into a hidden folder ``.rankmeter-...`` beside its destination and moved there when it is complete. If
that fails (a full disk, an interrupt, SIGTERM or SIGHUP to a command), whatever was there stays as it was, and the new
folder is removed. What cannot be caught (SIGKILL, a loss of power) may leave it behind; it can be deleted.

Only files are replaced. An open descriptor (``/dev/stdout``, ``/dev/fd/3``), a pipe and a device are written to, once
all is known: behind ``>> file`` they add to the file.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EBADF, ELOOP
from glob import glob, has_magic
from pathlib import Path
from stat import S_IMODE

from rankmeter.errors import InputError, MissingExtraError, NotFoundError, check_path, reason_of
from rankmeter.late import pl, tempfile

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between the attempts to replace a file that another program has open, which Windows refuses."""


def check_readable(path: object) -> Path:
    """Return the path of an existing file; refuse anything else."""
    place = check_path("path", path)
    if not _is_there(place, "files.cannot_be_opened"):
        raise NotFoundError.of("files.no_such_file", source=str(place))
    if place.is_dir():
        raise InputError.of("files.is_no_file", source=str(place))
    return place


def _is_there(path: Path, kind: str) -> bool:
    """Whether a path exists; refuse, with an error of ``kind``, one that cannot exist."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:  # a name that is too long, a circle of links
        is_circle = error.errno == ELOOP and path.is_symlink() and kind == "files.cannot_be_written"
        kind = "files.circle_of_links" if is_circle else kind
        raise InputError.of(kind, source=str(path), reason=reason_of(error)) from error
    return True


def check_writable(path: object) -> Path:
    """Return the path of a file that can be written; refuse others, before anything is computed."""
    path = check_path("path", path)
    if (number := _descriptor_of(path)) is not None:
        _check_open_for_writing(path, number)
        return path
    is_there = _is_there(path, "files.cannot_be_written")
    if path.is_dir():
        raise InputError.of("files.is_a_directory", source=str(path), inside=str(path / "result"))
    if not is_there or path.is_file():
        folder = _resolved(path).parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            raise InputError.of("files.no_directory", source=str(path), folder=str(folder))
        if not os.access(folder, os.W_OK):
            raise InputError.of("files.may_not_be_written_to", source=str(path), place=str(folder))
    if is_there and not os.access(path, os.W_OK):
        raise InputError.of("files.may_not_be_written_to", source=str(path), place=str(path))
    return path


def _descriptor_of(path: Path) -> int | None:
    """The number of the open descriptor of this process that a path means; None if it means none.

    ``/dev/stdout`` is a link to ``/proc/self/fd/1``, which looks like a link to the file that it was redirected to.
    """
    place = os.path.abspath(path)  # noqa: PTH100 (Path.absolute keeps the dots)
    for _ in range(40):
        folder, name = os.path.split(place)
        real = os.path.realpath(folder)
        own = f"/proc/{os.getpid()}/"
        if name.isdecimal() and (real == "/dev/fd" or (real.startswith(own) and real.endswith("/fd"))):
            return int(name)
        if not os.path.islink(place):  # noqa: PTH114 (Path.is_link fails where a name is too long)
            return None
        place = os.path.join(folder, os.readlink(place))  # noqa: PTH115, PTH118 (as above)
    return None


def _check_open_for_writing(path: Path, number: int) -> None:
    """Refuse a descriptor that is closed or only read."""
    from fcntl import F_GETFL, fcntl  # which Windows does not have, nor paths of descriptors

    try:
        is_only_read = fcntl(number, F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    except OSError:
        is_only_read = True
    if is_only_read:
        raise InputError.of(
            "files.cannot_be_written", source=str(path), reason=reason_of(OSError(EBADF, os.strerror(EBADF)))
        )


def check_apart(places: Mapping[str, Path], inputs: Iterable[str]) -> None:
    """Refuse to overwrite an input, whatever it is called, or to write one file twice.

    Parameters
    ----------
    places
        Where each option writes.
    inputs
        What is read: files, folders, patterns; ``-`` is standard input.
    """
    read = [Path(file) for given in inputs for file in _files_meant(given)] if places else []
    written: dict[Path, str] = {}
    for option, place in places.items():
        if os.path.exists(place) and not place.is_file():  # noqa: PTH110 (Path.exists fails where a name is too long)
            continue  # a device such as /dev/null, a folder
        for file in read:
            if _is_same(place, file):
                raise InputError.of("files.would_overwrite_input", option=option, source=str(place), input=str(file))
        if (other := written.setdefault(_resolved(place), option)) is not option:
            raise InputError.of("files.written_twice", option=option, source=str(place), other=other)


def _files_meant(given: str) -> Iterator[str]:
    """The files that a path on a command line stands for: itself, those in a folder, or those matching a pattern."""
    if given in ("", "-"):
        return
    with suppress(OSError, ValueError):  # a text that cannot be a path
        if os.path.isdir(given):  # noqa: PTH112 (Path.is_dir fails where a text is too long for a name)
            yield from (str(path) for path in Path(given).rglob("*") if path.is_file())
            return
        if has_magic(given) and not Path(given).exists():
            for match in glob(given, recursive=True):  # noqa: PTH207 (Path.glob takes no absolute pattern)
                yield from _files_meant(match)
            return
        yield given


def _is_same(place: Path, file: Path) -> bool:
    try:
        return place.samefile(file)
    except (OSError, ValueError):  # one of them is not there (yet)
        return _resolved(place) == _resolved(file)


def _resolved(path: Path) -> Path:
    """The path with links resolved; unlike `Path.resolve` this takes a circle of links."""
    return Path(os.path.realpath(path))


def make_folder(folder: Path) -> None:
    """Create a folder to write into unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.of("files.cannot_be_made", source=str(folder), reason=reason_of(error)) from error


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write a file to, which is moved to its destination when it is complete.

    Its folder may hold other temporary files; all of it is removed at the end. A link stays a link: its target is
    replaced. An existing file's mode is kept.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole_file(folder / "values.csv") as made:
    ...     _ = made.write_text("query,AP")
    >>> [file.name for file in folder.iterdir()]
    ['values.csv']
    """
    place = check_writable(path)
    is_replaced = _descriptor_of(place) is None and (place.is_file() or not place.exists())
    try:
        place = _resolved(place) if is_replaced else place
        with tempfile.TemporaryDirectory(prefix=".rankmeter-", dir=place.parent if is_replaced else None) as folder:
            made = Path(folder) / (place.name or "file")
            yield made
            if is_replaced:
                _take_over_rights(place, made)
                _replace(made, place)
            else:
                _send(made, place)
    except BrokenPipeError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError.of("files.cannot_be_written", source=str(path), reason=reason_of(error)) from error


def _send(made: Path, place: Path) -> None:
    """Write a file's content to an open descriptor, a pipe or a device, behind what was printed before."""
    number = _descriptor_of(place)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with made.open("rb") as content, open(place if number is None else os.dup(number), "wb") as sink:  # noqa: PTH123
        shutil.copyfileobj(content, sink)


def _replace(made: Path, place: Path) -> None:
    """Move a file to its destination; wait a moment for a program that has the old one open, such as a scanner."""
    for pause in PAUSES:
        with suppress(PermissionError):
            made.replace(place)
            return
        time.sleep(pause)
    try:
        made.replace(place)
    except PermissionError as error:
        raise InputError.of("files.cannot_be_replaced", source=str(place), reason=reason_of(error)) from error


def _take_over_rights(place: Path, made: Path) -> None:
    """Give a new file the mode, and if allowed the group, of the one that it replaces."""
    if place.exists():
        before = place.stat()
        with suppress(OSError, AttributeError):  # no such thing as a group, or not ours to give
            os.chown(made, -1, before.st_gid)
        made.chmod(S_IMODE(before.st_mode))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, whole or not at all."""
    with whole_file(path) as made:
        made.write_bytes(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))


def append_text(path: str | os.PathLike[str], text: str) -> None:
    """Add a text to the end of a file, which is made where it is not there; whole or not at all."""
    place = check_writable(path)
    is_file = _descriptor_of(place) is None and place.is_file()
    write_bytes(place, (place.read_bytes() if is_file else b"") + text.encode("utf-8", errors="backslashreplace"))


def check_form(form: object, known: int, source: str) -> None:
    """Refuse a saved file of another form by its number, before anything else of it is looked at."""
    if form != known:
        raise InputError.of("saved.other_form", source=source, form=form, known=known)


@contextmanager
def said_if_damaged(kind: str, source: str) -> Iterator[None]:
    """Turn any failure to read a file that rankmeter should have saved into an error of ``kind``.

    Python and Polars fail in many ways on a foreign or damaged file; a panic of Polars is not even an Exception.
    """
    try:
        yield
    except (InputError, MissingExtraError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise InputError.of(kind, source=source) from error
