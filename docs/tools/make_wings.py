"""Write ``wings/table.py`` from the literals of the wings, and the modules that they have under public names.

``python docs/tools/make_wings.py`` after a change of a ``wing.py``; a test checks that what is committed is what this
writes. What is not there any more is removed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import rankmeter
from rankmeter.wings.literal import Wing

SOURCE = Path(rankmeter.__file__).parent
MARK = "Written by docs/tools/make_wings.py"
TABLE = SOURCE / "wings" / "table.py"
AS_STATED = {"former"}
"""Fields of a wing whose values are no modules."""


def wings() -> dict[str, Wing]:
    """Every wing that is there, by its name."""
    names = sorted(path.parent.name for path in (SOURCE / "wings").glob("*/wing.py"))
    return {name: import_module(f"rankmeter.wings.{name}.wing").WING for name in names}


def table() -> str:
    """The text of ``wings/table.py``."""
    known = wings()
    parts = [
        f'"""What the wings add, by kind: all that the core sees of them.\n\n{MARK} from each ``wing.py``.\n"""',
        "from __future__ import annotations",
        _literal("WINGS", {name: _subject(name) for name in known}, "Every wing, and what it is for."),
    ]
    for field, annotation in Wing.__annotations__.items():
        if "Mapping" in str(annotation):
            added: dict[str, str] = {}
            for name, wing in known.items():
                stated = getattr(wing, field)
                added.update(stated if field in AS_STATED else _whole(name, stated))
            parts.append(_literal(field.upper(), added))
    parts.append(_literal("FAMILIES", _families(known), "Modules of measures, each with its measures."))
    pages = {page: name for name, wing in known.items() for page in wing.docs}
    parts.append(_literal("DOCS", pages, "Pages of one wing."))
    spoken = [name for name in known if (SOURCE / "wings" / name / "words" / "sentences.toml").exists()]
    helpful = [name for name in known if (SOURCE / "wings" / name / "words" / "help.toml").exists()]
    parts.append(f'HELPFUL = tuple("{" ".join(helpful)}".split())\n"""Wings that have help of commands."""\n')
    parts.append(f'SPOKEN = tuple("{" ".join(spoken)}".split())\n"""Wings that have sentences of their own."""\n')
    return "\n\n".join(parts[:2]) + "\n\n" + "\n".join(parts[2:])


def _subject(name: str) -> str:
    """The first line of a wing's docstring."""
    return (import_module(f"rankmeter.wings.{name}").__doc__ or "").partition("\n")[0].rstrip(".")


def _whole(name: str, added: Mapping[str, str]) -> dict[str, str]:
    return {key: f"rankmeter.wings.{name}{module}".rstrip(".") for key, module in added.items()}


def _families(known: Mapping[str, Wing]) -> dict[str, str]:
    from rankmeter.measures.base import REGISTRY

    modules = [f"rankmeter.wings.{name}{module}" for name, wing in known.items() for module in wing.measures]
    for module in modules:
        import_module(module)
    return {m: " ".join(name for name, kind in REGISTRY.kinds.items() if kind.__module__ == m) for m in modules}


def _literal(name: str, value: Mapping[str, str], meaning: str = "") -> str:
    rows = "".join(map(_row, value.items()))
    said = f'"""{meaning}"""\n' if meaning else ""
    return f"{name}: dict[str, str] = {{\n{rows}}}\n{said}" if rows else f"{name}: dict[str, str] = {{}}\n{said}"


def _row(pair: tuple[str, str]) -> str:
    """A key and its text, the text on lines of its own where one would be too long."""
    row = "    {!r}: {!r},\n".format(*pair).replace("'", '"')
    if len(row) <= 121:
        return row
    parts = textwrap.wrap(pair[1], 108, drop_whitespace=False)
    return f'    "{pair[0]}": (\n' + "".join(f'        "{part}"\n' for part in parts) + "    ),\n"


def aliases() -> Iterator[tuple[Path, str]]:
    """The modules that wings have under public names, and their texts."""
    for name, wing in wings().items():
        for public, module in _whole(name, wing.modules).items():
            text = (
                f'"""The public name of :mod:`{module}`. {MARK}."""\n\n'
                "import sys\nfrom typing import TYPE_CHECKING\n\n"
                "from rankmeter.wings.loading import load\n\n"
                f"if TYPE_CHECKING:\n    from {module} import *  # noqa: F403\n\n"
                f'sys.modules[__name__] = load("{module}", __name__)\n'
            )
            yield SOURCE / Path(*public.split(".")[1:]).with_suffix(".py"), text


def written() -> dict[Path, str]:
    """Every generated file and its text."""
    return {TABLE: table(), **dict(aliases())}


def stale() -> list[Path]:
    """Modules under public names whose wing is gone."""
    kept = {path for path, _ in aliases()}
    modules = [path for path in SOURCE.rglob("*.py") if path.name != "table.py" and path not in kept]
    return [path for path in modules if f"`. {MARK}." in path.read_text("utf-8").partition("\n")[0]]


if __name__ == "__main__":
    for gone in stale():
        gone.unlink()
    for path, text in written().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
