"""``python -m rankmeter`` and the script ``rankmeter``."""

from __future__ import annotations

import gc

gc.disable()  # nothing that loads now is garbage; looking for some takes a twentieth of a short call

from rankmeter.cli import main  # noqa: E402 (see above)

if __name__ == "__main__":
    main()
