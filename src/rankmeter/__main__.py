"""``python -m rankmeter`` is ``rankmeter``."""

from __future__ import annotations

from rankmeter.cli import main

if __name__ == "__main__":
    main()
