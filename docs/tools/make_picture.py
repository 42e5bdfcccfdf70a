"""Make ``docs/images/evaluate.svg``: what a terminal really shows when rankmeter evaluates the bundled data.

The command is run in a pseudo-terminal of 100 columns, in a folder that holds the demo's files; what it prints is
exported by rich. Nothing in the picture is typed by hand. Needs Linux or macOS, where there are pseudo-terminals.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

import rankmeter
from rankmeter import demo

COLUMNS, ROWS = 100, 40
PICTURE = Path(__file__).resolve().parents[1] / "images" / "evaluate.svg"
COMMAND = f"rankmeter evaluate {demo.JUDGMENTS} {' '.join(demo.RUNS.values())} -m nDCG@10 -m AP -m RR"
# rich's own template loads its font from a server; a picture should not.
OFFLINE = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def run_in_terminal(command: list[str], folder: Path) -> str:
    """Run a command in a pseudo-terminal and return everything that it shows, colours included."""
    import fcntl  # these are not everywhere, and this file is imported by the tests
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**plain, "TERM": "xterm-256color", "PYTHONPATH": str(Path(rankmeter.__file__).parents[1])},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side has closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    if process.wait() != 0:
        raise SystemExit(f"{shlex.join(command)} failed:\n{shown.decode()}")
    return shown.decode().replace("\r\n", "\n")


def without_progress(shown: str) -> str:
    """What is left on the screen: a progress line that was overwritten or erased is gone."""
    shown = re.sub(r"\x1b\[\?25[lh]", "", shown)
    lines = [line.rpartition("\r")[2].rpartition("\x1b[2K")[2] for line in shown.split("\n")]
    return "\n".join(lines).strip("\n")


def picture() -> str:
    """The SVG of the command and what it shows."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (demo.JUDGMENTS, *demo.RUNS.values()):
            shutil.copy(demo.data_path(name), folder)
        shown = run_in_terminal([sys.executable, "-m", *shlex.split(COMMAND)], Path(folder))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {COMMAND}", style="bold green"))
    console.print(Text.from_ansi(without_progress(shown)))
    return console.export_svg(title="rankmeter evaluate", code_format=OFFLINE, unique_id="rankmeter")


def main() -> None:
    """Write the picture."""
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"wrote docs/images/{PICTURE.name}")


if __name__ == "__main__":
    main()
