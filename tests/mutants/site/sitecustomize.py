"""What every Python that a run of mutants starts does first, its tests' programs too: it changes what modules say.

``RANKMETER_MUTANT`` names a module, and the file with the text that stands in for its own. ``RANKMETER_HITS`` names a
folder: every statement of the modules that can be broken then notes that it ran. The sources stay as they are.
"""

from __future__ import annotations

import os
import sys

if os.environ.get("RANKMETER_MUTANT") or os.environ.get("RANKMETER_HITS"):
    from importlib.abc import MetaPathFinder
    from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
    from pathlib import Path

    HITS: dict[str, bytearray] = {}
    """Of every loaded module one byte a statement: whether it ran."""

    class StandIn(SourceFileLoader):
        def get_code(self, fullname: str):
            return compile(Path(MUTANT[1]).read_bytes(), self.path, "exec", dont_inherit=True)

    class Noting(SourceFileLoader):
        def get_code(self, fullname: str):
            import marshal
            from hashlib import sha256

            text = Path(self.path).read_bytes()
            kept = Path(os.environ["RANKMETER_HITS"]).parent / "code" / sha256(self.path.encode() + text).hexdigest()
            if not kept.exists():
                import ast

                from noting import noting

                tree, count = noting(ast.parse(text))
                kept.parent.mkdir(exist_ok=True)
                new = kept.with_suffix(f".{os.getpid()}")
                new.write_bytes(marshal.dumps((compile(tree, self.path, "exec", dont_inherit=True), count)))
                new.replace(kept)
            code, count = marshal.loads(kept.read_bytes())
            HITS.setdefault(fullname, bytearray(count))
            return code

        def exec_module(self, module):
            code = self.get_code(module.__name__)
            module.__dict__["_ran_"] = HITS[module.__name__]
            exec(code, module.__dict__)

    class Finder(MetaPathFinder):
        def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
            if not fullname.startswith("rankmeter.") or (MUTANT and fullname != MUTANT[0]):
                return None
            spec = PathFinder.find_spec(fullname, path, target)
            if spec is not None and type(spec.loader) is SourceFileLoader:
                loader = StandIn if MUTANT else Noting
                spec.loader = loader(spec.loader.name, spec.loader.path)
                spec.cached = None
            return spec

    def left_behind() -> None:
        """A program that ends says what ran in it; the test that started it reads that."""
        ran = {name: bytes(hits) for name, hits in HITS.items() if 1 in hits}
        if ran:
            import pickle

            (Path(os.environ["RANKMETER_HITS"]) / f"{os.getpid()}.hits").write_bytes(pickle.dumps(ran))

    MUTANT = (
        tuple((os.environ.get("RANKMETER_MUTANT") or "").split("=", 1)) if os.environ.get("RANKMETER_MUTANT") else ()
    )
    sys.meta_path.insert(0, Finder())
    if not MUTANT:
        import atexit

        atexit.register(left_behind)
