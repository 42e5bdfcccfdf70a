"""A process that was forked after Polars had started its threads works, or says how; it never waits for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

SCRIPT = """
    import multiprocessing, os, sys, warnings
    warnings.simplefilter("ignore")
    import polars as pl
    import rankmeter as rm

    items = [str(number) for number in range(3000)]
    frame = pl.DataFrame({{"query": ["q"] * 3000, "item": items, "score": list(map(float, items))}})
    mapping = {{"q": dict(zip(frame["item"], frame["score"]))}}

    def child():
        try:
            print(rm.evaluate({{"q": {{"2999": 1}}}}, {run}, "RR")["RR"], flush=True)
        except rm.RankmeterError as error:
            print(error, flush=True)

    if __name__ == "__main__":
        if {used}:
            rm.evaluate({{"q": {{"2999": 1}}}}, frame, "RR")
            frame.sort("item", "score")
        process = multiprocessing.get_context({method!r}).Process(target=child)
        process.start()
        process.join(60)
        print("hangs" if process.is_alive() else "ends")
        process.kill()
"""


@pytest.mark.parametrize(
    ("run", "used", "method", "said"),
    [
        ("mapping", True, "fork", "1.0"),
        ("frame", False, "fork", "1.0"),
        ("frame", True, "fork", "get_context('spawn')"),
        pytest.param("frame", True, "spawn", "1.0", marks=pytest.mark.slow),
    ],
)
def test_a_forked_process_works_or_says_how(run, used, method, said, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(run=run, used=used, method=method)))
    environment = {**os.environ, "POLARS_MAX_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert done.stdout.endswith("ends\n"), done
    assert said in done.stdout, done
