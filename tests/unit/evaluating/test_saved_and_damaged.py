"""Saved evaluations and comparisons with a bit changed, cut short or made up: read as they were, or refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app

TRUTH = {f"q{number}": {"a": 1, "b": 2} for number in range(20)}
RUN = {query: {"a": 2.0, "b": 1.0} for query in TRUTH}
OTHER = {query: {"a": 1.0, "b": 2.0} for query in TRUTH}
MEASURES = ["RR", "nDCG@10"]


def _evaluation(path: Path) -> None:
    rm.evaluate(TRUTH, RUN, MEASURES).save(path)


def _comparison(path: Path) -> None:
    rm.compare(TRUTH, {"a": RUN, "b": OTHER}, MEASURES, permutations=100, resamples=100).save(path)


KINDS = {"evaluation": (_evaluation, rm.Evaluation), "comparison": (_comparison, rm.Comparison)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_bit_changes_no_number_in_silence(kind, tmp_path) -> None:
    save, loads = KINDS[kind]
    path = tmp_path / "saved"
    save(path)
    whole, before = path.read_bytes(), loads.load(path)
    rng = random.Random(11)
    for _ in range(200):
        place, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        path.write_bytes(bytes([*whole[:place], whole[place] ^ bit, *whole[place + 1 :]]))
        try:
            after = loads.load(path)
        except rm.RankmeterError:
            continue
        assert after.to_json() == before.to_json(), (place, bit)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", ["empty", "cut", "text", "zip", "zeros"])
def test_what_was_never_saved_is_a_sentence(kind, made, tmp_path) -> None:
    save, loads = KINDS[kind]
    path = tmp_path / "saved"
    save(path)
    whole = path.read_bytes()
    path.write_bytes({
        "empty": b"", "cut": whole[: len(whole) // 2], "text": b"q1 Q0 a 1 1 t\n", "zip": b"PK\x03\x04" + b"x" * 99,
        "zeros": bytes(1000),
    }[made])  # fmt: skip
    with pytest.raises(rm.InputError, match=r"is not a saved|is damaged"):
        loads.load(path)
    result = CliRunner().invoke(app, ["compare", "--saved", str(path), str(path)])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
