"""Where bytes come from: files, pipes, standard input, buffers; compressed or not, told by content, not by name.

A source is opened once and read forward once, because a pipe (``<(zcat run.gz)``) cannot be opened again.
"""

from __future__ import annotations

import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from stat import S_ISFIFO
from typing import BinaryIO, Protocol, cast

from rankmeter.errors import InputError, NotFoundError, Problem, did_you_mean, nearest, reason_of
from rankmeter.late import bz2, gzip, lzma, pathlib

MOST_GROWTH = 100
"""So many times the size in the file a compressed content may have: lines that differ shrink to a tenth or so."""
UNPACKED_BYTES = 1 << 25
"""Up to this size nobody minds."""
HEAD_BYTES = 1 << 18
"""How much of the content is looked at to recognise its format: some thousand lines."""

_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
_MAGIC = {
    "gzip": (b"\x1f\x8b\x08",),
    "xz": (b"\xfd7zXZ\x00",),
    # "BZh" alone could begin a text; the block (or the end) marker after the level cannot.
    "bzip2": tuple(b"BZh%d" % level + mark for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
    # A frame, or one of the sixteen kinds of skippable frame that pzstd writes first.
    "zstd": (_ZSTD_FRAME, *(bytes((0x50 + kind,)) + b"\x2a\x4d\x18" for kind in range(16))),
}
_MAGIC_BYTES = 10
_URL = r"[A-Za-z][A-Za-z0-9+.-]+:/"
"""The beginning of an address, also of one whose second slash a ``Path`` has taken away."""


class Readable(Protocol):
    """Anything that gives bytes when read."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to ``size`` bytes, all of them when it is negative, none at the end."""
        ...


class ByteSource:
    """The decompressed content of one input, read forward once; ``path`` is the regular file that ``raw`` reads."""

    def __init__(self, raw: Readable, name: str, path: str | None = None) -> None:
        self.name = name
        self.compression: str | None = None
        self._raw = self._stream = raw
        self._size = 0 if path is None else os.stat(path).st_size  # noqa: PTH116 (late)
        self._unpacked = 0
        start = self.read(_MAGIC_BYTES)
        self.compression = next((kind for kind, marks in _MAGIC.items() if start.startswith(marks)), None)
        self._packed = _Rejoined(start, raw)
        self._stream = self._decompressed = _decompressor(self.compression, self._packed)
        self.path = path if self.compression is None else None
        """The file itself, for readers that can take a path, when it holds the content as it is."""
        self.head = self.read(HEAD_BYTES)
        """The first bytes of the content; ``read`` gives them again."""
        self._stream, self._unpacked = _Rejoined(self.head, self._decompressed), 0

    def read_all(self) -> bytes:
        """Everything that is left, held in memory."""
        return b"".join(iter(lambda: self.read(1 << 24), b""))

    def lines(self) -> Iterator[bytes]:
        """Everything that is left, line by line."""
        held = b""
        while part := self.read(1 << 20):
            *whole, held = (held + part).split(b"\n")
            yield from whole
        if held:
            yield held

    def content(self) -> bytes | pathlib.Path:
        """Everything, for readers that want it whole: the file when it holds the content as it is, else bytes."""
        return pathlib.Path(self.path) if self.path is not None else self.read_all()

    def fraction(self) -> float | None:
        """How much of its file has been read, compressed as it is; None where that is not known."""
        try:
            consumed = int(self._raw.tell())  # type: ignore[attr-defined]
        except (AttributeError, OSError, ValueError):  # a pipe, or an object that only reads
            return None
        return min(1.0, consumed / self._size) if self._size else None

    def close(self) -> None:
        """Free what decompression holds; what was given to be read stays open."""
        if self.compression is not None:
            cast(BinaryIO, self._decompressed).close()

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes, fewer only at the end."""
        try:
            content = _read_fully(self._stream, size, self.name)
        except InputError:
            raise
        except (EOFError, zlib.error, lzma.LZMAError, OSError, ValueError) as error:
            if self.compression is None:
                raise InputError.of("inputs.unreadable", source=self.name, reason=reason_of(error)) from None
            raise InputError.of(
                "inputs.cut_short", source=self.name, compression=self.compression, reason=reason_of(error)
            ) from None
        self._unpacked += len(content)
        if self.compression and self._unpacked > max(UNPACKED_BYTES, MOST_GROWTH * self._packed.given):
            raise InputError.of("inputs.expands", source=self.name, packed=self._packed.given, growth=MOST_GROWTH)
        return content


@contextmanager
def open_source(path: object) -> Iterator[ByteSource]:
    """Open a path, ``-``, bytes or a binary file object; close it afterwards if it was opened here."""
    with ExitStack() as stack:
        raw, name = _open_raw(path, stack)
        is_file = isinstance(path, (str, os.PathLike)) and path != "-" and os.path.isfile(name)  # noqa: PTH113 (late)
        source = ByteSource(raw, name, name if is_file else None)
        stack.callback(source.close)
        yield source


def is_read_once(data: object) -> bool:
    """Whether this is standard input or a pipe."""
    if not isinstance(data, (str, os.PathLike)) or data == "-":
        return data == "-"
    return os.path.exists(data) and S_ISFIFO(os.stat(data).st_mode)  # noqa: PTH110, PTH116 (late)


def _open_raw(path: object, stack: ExitStack) -> tuple[Readable, str]:
    """Where the bytes come from, and how messages name it."""
    if isinstance(path, (bytes, bytearray, memoryview)):
        return io.BytesIO(path), "<bytes>"
    if isinstance(path, str) and path == "-":
        if not hasattr(sys.stdin, "buffer"):
            raise InputError.of("inputs.no_stdin")
        return sys.stdin.buffer, "<stdin>"
    if isinstance(path, (str, os.PathLike)):
        name = os.fsdecode(path)
        if not name:
            raise InputError.of("inputs.empty_path")
        refuse_url(name)
        return stack.enter_context(_open_bytes(name)), name
    if hasattr(path, "read"):
        given = getattr(path, "name", None)
        return cast(Readable, path), given if isinstance(given, str) else "<file>"
    raise InputError.of("inputs.no_source", type=type(path).__name__, value=repr(path))


def refuse_url(name: str) -> None:
    """Refuse what names a place on a network: nothing is fetched from one."""
    if ":/" in name and re.match(_URL, name) and not pathlib.Path(name).exists():
        raise InputError.of("inputs.url", source=name)


def _open_bytes(name: str) -> BinaryIO:
    try:
        # Unbuffered: blocks are large, and a buffer would only copy them once more.
        return cast(BinaryIO, open(name, "rb", buffering=0))  # noqa: PTH123 (late; closed by the caller)
    except FileNotFoundError:
        raise NotFoundError.of("inputs.no_file", source=name, hint=_neighbour(name)) from None
    except IsADirectoryError:
        raise InputError.of("inputs.directory", source=name) from None
    except PermissionError:
        raise InputError.of("inputs.no_permission", source=name) from None
    except (OSError, ValueError) as error:
        raise InputError.of("inputs.cannot_open", source=repr(name), reason=reason_of(error)) from None


def _neighbour(name: str) -> str | Problem:
    """A hint that names the file beside the missing one that was probably meant."""
    path = pathlib.Path(name)
    try:
        names = sorted(file.name for file in path.parent.iterdir())
    except OSError:
        return Problem("inputs.no_directory", {"folder": str(path.parent)})
    # Files are alike by what stands before their endings; all runs end alike.
    near = nearest(_before_endings(path.name), [_before_endings(entry) for entry in names], alike=0.7)
    # Where nothing is near, the folder is the likelier mistake.
    meant = did_you_mean(path.name, [entry for entry in names if _before_endings(entry) in near])
    return meant or Problem("inputs.looked_in", {"folder": str(path.parent.resolve())})


def _before_endings(name: str) -> str:
    return name[:1] + name[1:].partition(".")[0]


def _read_fully(stream: Readable, size: int, name: str) -> bytes:
    """Read until ``size`` bytes or the end: pipes and decompressors return less than asked."""
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(size)
        if isinstance(part, str):
            raise InputError.of("inputs.opened_as_text", source=name)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


class _Rejoined:
    """A stream whose first bytes were already taken: gives them back, then the rest."""

    def __init__(self, start: bytes, rest: Readable) -> None:
        self._start = start
        self._rest = rest
        self.given = 0
        """How many bytes were given so far."""

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            size = sys.maxsize
        given, self._start = self._start[:size], self._start[size:]
        if len(given) < size:
            fresh = self._rest.read(min(size - len(given), 1 << 30))
            given = given + fresh if given else fresh
        self.given += len(given)
        return given


def _decompressor(compression: str | None, raw: _Rejoined) -> Readable:
    stream = cast(BinaryIO, raw)  # The classes only ever call read() on it.
    if compression == "gzip":
        return cast(Readable, gzip.GzipFile(fileobj=stream))
    if compression in ("xz", "bzip2"):
        return cast(Readable, (lzma.LZMAFile if compression == "xz" else bz2.BZ2File)(stream))
    return _ZstdFile(raw) if compression == "zstd" else raw


class _ZstdFile:
    """The frames of a zstd file, one after another; zstandard's own reader takes a cut one for whole."""

    def __init__(self, raw: Readable) -> None:
        import zstandard  # loaded only for such a file; Python has its own from 3.14 on

        self._raw = raw
        self._error = zstandard.ZstdError
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new_frame()
        self._begun = False
        self._left = memoryview(b"")

    def read(self, size: int = -1, /) -> bytes:
        if not self._left:
            self._left = memoryview(self._next())
        size = len(self._left) if size < 0 else size
        given, self._left = bytes(self._left[:size]), self._left[size:]
        return given

    def _next(self) -> bytes:
        while True:
            packed = (self._frame.unused_data if self._frame.eof else b"") or self._raw.read(1 << 20)
            if not packed:
                if self._begun and not self._frame.eof:
                    raise EOFError("the last frame is cut short")
                return b""
            if self._frame.eof:
                self._frame = self._new_frame()
            self._begun = True
            try:
                content = self._frame.decompress(packed)
            except self._error as error:
                raise EOFError(str(error)) from error
            if content:
                return content

    def close(self) -> None:
        """Nothing is held."""
