"""How a command ends: its exit code says whether to trust the result, to mend the call, or to look at the machine.

``rankmeter trec_eval`` keeps the codes of the program that it stands for, where that program would end with one.
"""

from __future__ import annotations

import errno

from rankmeter.errors import RankmeterError

DONE = 0
FAILED = 1
"""Everything was computed, and the answer is no: a gate failed, no definition gives a claim, a sample ratio is off."""
WRONG = 2
"""What was given cannot be used: the command line, a path, the content of a file, an extra that is not installed."""
FAULT = 3
"""The machine failed, or rankmeter: no memory, a full disk, a defect."""
INTERRUPTED, PIPE_CLOSED = 130, 141
"""As shells expect of a program that was interrupted, or whose reader has gone; other signals: 128 + their number."""

BY_A_PATH = frozenset(
    getattr(errno, name, 0)
    for name in (
        "ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", "EEXIST", "ELOOP", "ENAMETOOLONG", "EROFS", "EINVAL",
        "EILSEQ", "ENODEV", "ENXIO", "ENOTEMPTY", "ESPIPE", "ETXTBSY",
    )
)  # fmt: skip
"""What a system says about a path that cannot be used, whatever the state of the machine."""


def code_of(error: BaseException) -> int:
    """The exit code for an error: what was given is wrong, or the machine or rankmeter is at fault."""
    if isinstance(error, RankmeterError):
        at_fault = _is_machine(error.__cause__, written=error.problem.kind == "files.cannot_be_written")
        return FAULT if at_fault else WRONG
    return WRONG if isinstance(error, OSError) and not _is_machine(error) else FAULT


def _is_machine(error: BaseException | None, *, written: bool = False) -> bool:
    """Whether an error, or what caused it, is one of the machine.

    Libraries lose the number of an error: while a file is written it can be one of the machine only, while one is read
    it is its content.
    """
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno not in BY_A_PATH
        error = error.__cause__
    return written


__all__ = ["DONE", "FAILED", "FAULT", "INTERRUPTED", "PIPE_CLOSED", "WRONG", "code_of"]
