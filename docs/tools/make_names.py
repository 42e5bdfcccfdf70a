"""Write what follows from the classes of the measures: which family each belongs to, and the types of all public names.

``python docs/tools/make_names.py`` writes ``measures/families.py`` and ``__init__.pyi``; a test checks that what is
committed is what this writes. A new measure is a class in a family's module, its prose and its tests: then run this.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import rankmeter
from rankmeter import wings
from rankmeter.measures.base import REGISTRY, Measure, rule_of
from rankmeter.measures.families import FAMILIES
from rankmeter.measures.grammar import find_measure
from rankmeter.measures.names import EVERYDAY
from rankmeter.measures.prose import docstring

SOURCE = Path(rankmeter.__file__).parent


def families() -> dict[str, list[str]]:
    """The modules of measures, those known before first, each with its measures in the order of their classes."""
    found = {path.stem for path in (SOURCE / "measures").glob("*.py") if "@register\n" in path.read_text("utf-8")}
    modules = [*FAMILIES, *sorted(found - {*FAMILIES})]
    for module in modules:
        import_module(f"rankmeter.measures.{module}")
    names: dict[str, list[str]] = {module: [] for module in modules}
    for name, kind in REGISTRY.kinds.items():
        room, _, module = kind.__module__.rpartition(".")
        if room == "rankmeter.measures":
            names[module].append(name)
    order = {name: place for place, name in enumerate(" ".join(FAMILIES.values()).split())}
    return {module: sorted(some, key=lambda name: order.get(name, len(order))) for module, some in names.items()}


def families_module() -> str:
    """The text of ``measures/families.py``."""
    rows = "".join(f'    "{module}": "{" ".join(names)}",\n' for module, names in families().items())
    return f'''"""Which family of measures each name belongs to, so that a name loads its family and no other.

Written by docs/tools/make_names.py from the classes of the measures.
"""

from __future__ import annotations

from rankmeter.wings import families as wing_families

FAMILIES: dict[str, str] = {{
{rows}}}

FAMILY_OF = {{name: f"rankmeter.measures.{{family}}" for family, names in FAMILIES.items() for name in names.split()}}
FAMILY_OF |= wing_families()
"""The module of each measure, those of wings too."""
'''


def stub() -> str:
    """The text of ``__init__.pyi``."""
    names = [*(name for some in families().values() for name in some), *wings.families()]
    classes = [type(REGISTRY[name]) for name in names]
    homes = {(room, module) for room, _, module in (kind.__module__.rpartition(".") for kind in classes)}
    aliases = {name: type(find_measure(name)) for name in EVERYDAY}
    lines = [
        "# Written by docs/tools/make_names.py: what an editor completes and a type checker checks.",
        '# mypy: disable-error-code="override"',
        "from collections.abc import Mapping, Sequence",
        "from typing import Literal, Self",
        "",
        *(f"from {home} import {name} as {name}" for name, home in sorted(rankmeter._LAZY.items())),  # noqa: SLF001
        *(_stubbed(name, home) for name, home in sorted(wings.present(wings.table.NAMES).items())),
        *(f"from {room} import {module} as {_alias(f'{room}.{module}')}" for room, module in sorted(homes)),
        "",
        "__version__: str",
        "",
        *_wrapped("__all__ = [", [f'"{name}"' for name in rankmeter.__all__], "]", ""),
        "",
    ]
    for kind in classes:
        lines += ["", *_typed(kind)]
    lines += ["", *(f"{name}: _{kind.name}" for name, kind in sorted(aliases.items()))]
    return "\n".join(lines) + "\n"


def _stubbed(name: str, home: str) -> str:
    """The import of a name that a wing adds: of a module, or the wing's package itself."""
    return f"import {home} as {name}" if wings.is_module(name) else f"from {home} import {name} as {name}"


def _alias(module: str) -> str:
    """What a module of measures is called here: its own name, and that of its wing."""
    return module.removeprefix("rankmeter.measures").removeprefix("rankmeter.wings").replace(".", "_")


def _typed(kind: type[Measure]) -> Iterator[str]:
    """A measure as a value that makes others: its options are the keywords of a call."""
    yield f"class _{kind.name}({_alias(kind.__module__)}.{kind.__name__}):"
    shown = docstring(kind.name, kind.__dict__["__doc__"].summary) or ""
    yield from textwrap.indent(f'"""{shown}\n"""', "    ").replace("\\", "\\\\").splitlines()
    options = [f"{option.name}: {_type(kind, option.name)} = ..." for option in fields(kind)]  # type: ignore[arg-type]
    yield from _wrapped("    def __call__(self, *, ", options, ") -> Self: ...", "        ")
    if kind.at in {option.name for option in fields(kind)}:  # type: ignore[arg-type]
        number = "int" if kind.at == "cutoff" else "float"
        yield f"    def __matmul__(self, value: {number}) -> Self: ..."
    yield f"{kind.name}: _{kind.name}"


def _type(kind: type[Measure], name: str) -> str:
    """The type of what an option may hold, from its rule."""
    rule = rule_of({option.name: option for option in fields(kind)}[name])  # type: ignore[arg-type]
    words = {"ties": kind.tie_rules, "aggregate": kind.aggregates}.get(name, rule.choices)
    parts = [f"Literal[{', '.join(repr(word) for word in words)}]".replace("'", '"')] if words else []
    parts += ["str"] if rule.text else []
    parts += [rule.number] if rule.number else []
    parts += ["Mapping[float, float]"] if rule.grades else []
    parts += ["Sequence[float]"] if rule.several else []
    parts += ["None"] if rule.optional else []
    return " | ".join(parts)


def _wrapped(start: str, parts: list[str], end: str, indent: str) -> list[str]:
    """One long line folded between the parts."""
    # A blank within a part must not be folded.
    text = start + ", ".join(part.replace(" ", "\0") for part in parts) + end.replace(" ", "\0")
    folded = textwrap.wrap(text, 120, subsequent_indent=indent + "    ", break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in folded]


def written() -> dict[Path, str]:
    """Every generated file and its text."""
    return {SOURCE / "measures" / "families.py": families_module(), SOURCE / "__init__.pyi": stub()}


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, "utf-8")
