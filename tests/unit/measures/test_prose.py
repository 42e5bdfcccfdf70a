"""The prose of the measures and conventions: complete in both languages, and its worked examples are right.

The examples are recomputed here line by line from their formulae, apart from the library's own arithmetic.
"""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from math import log2
from pathlib import Path
from typing import Any

import pytest

from rankmeter.measures import REGISTRY
from rankmeter.measures.base import RankedMeasure, register, rule_of
from rankmeter.measures.prose import prose_file
from rankmeter.measures.slate_base import SlateMeasure

PROSE = Path(__file__).parents[3] / "src" / "rankmeter" / "measures" / "prose"
WINGS = PROSE.parents[1] / "wings"
OF_WINGS = sorted(WINGS.glob("*/words/prose/conventions.toml"))
MEASURES = sorted(
    name for name, measure in REGISTRY.items() if not isinstance(measure, SlateMeasure) and not measure.custom
)
LISTS = sorted(name for name, measure in REGISTRY.items() if isinstance(measure, SlateMeasure))
TEXTS = {"title", "meaning", "use", "misleads", "example"}
SYMBOLS = {"cos", "grade", "log", "max", "min", "pop", "sqrt"}
"""What stands for itself in a formula of any language."""
CJK = re.compile(r"[\u4e00-\u9fff]")


def read(name: str) -> dict[str, Any]:
    return tomllib.loads(prose_file(name).read_text(encoding="utf-8"))


def check_text(text: object, *, chinese: bool) -> None:
    assert isinstance(text, str)
    assert text.strip()
    assert bool(CJK.search(text)) is chinese, text
    assert not re.search("[\u2014\ufffd]", text), text


def test_there_is_one_file_per_measure_and_no_other() -> None:
    files = [*PROSE.glob("*.toml"), *WINGS.glob("*/words/prose/*.toml")]
    named = {path.stem for path in files}
    assert named == {*MEASURES, *LISTS, "conventions", "slate_conventions"}
    assert len(files) == len(named) + len(OF_WINGS)


@pytest.mark.parametrize("name", [*MEASURES, *LISTS])
def test_every_text_is_there_in_both_languages(name: str) -> None:
    prose = read(name)
    assert set(prose) == {"citation", "formula", "latex", "code", "en", "zh"}
    assert isinstance(prose["citation"], str)
    check_text(prose["formula"], chinese=False)
    check_text(prose["latex"], chinese=False)
    for language in ("en", "zh"):
        assert set(prose[language]) - {"formula"} == TEXTS
        for key in TEXTS:
            check_text(prose[language][key], chinese=language == "zh")


@pytest.mark.parametrize("name", [*MEASURES, *LISTS])
def test_a_formula_with_words_is_in_chinese_too(name: str) -> None:
    prose = read(name)
    assert "formula" not in prose["en"]
    own = prose["zh"].get("formula")
    shown = own or prose["formula"]
    words = {*re.findall(r"[a-z]{2,}", re.sub(r"\w*[A-Z_]\w*", "", shown))} - SYMBOLS
    assert not words
    if own is not None:
        check_text(own, chinese=True)
        numbers = r"\d+|[Σ∩½ε√]|log2"
        assert sorted(re.findall(numbers, own)) == sorted(re.findall(numbers, prose["formula"]))


@pytest.mark.parametrize("name", [*MEASURES, *LISTS])
def test_both_languages_give_the_same_example(name: str) -> None:
    prose = read(name)
    english, chinese = (re.findall(r"\d+\.\d{3,}", prose[language]["example"]) for language in ("en", "zh"))
    assert english == chinese


def examples_of(text: str) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(text)


def docstring_of(kind: type) -> str:
    """The docstring of a measure, which must have a formula, an example worked out by hand, and code that runs."""
    text = inspect.getdoc(kind) or ""
    summary, formula, *rest = text.split("\n\n")
    assert summary.endswith(".")
    assert formula.startswith("    ")
    assert any(part.startswith("Misleads: ") for part in rest)
    worked = next(part for part in rest if part.startswith("Examples\n--------\n"))
    assert re.search(r"\d", worked)
    assert any(example.want for example in examples_of(text))
    return text


@pytest.mark.parametrize("name", [*MEASURES, *LISTS])
def test_every_measure_has_a_docstring_with_a_formula_and_an_example_that_runs(name: str) -> None:
    text = docstring_of(type(REGISTRY[name]))
    assert inspect.getdoc(REGISTRY[name]) == text
    assert " ".join(read(name)["formula"].split()) in " ".join(text.split())
    assert read(name)["code"].strip() in text
    assert read(name)["en"]["example"].strip() in text
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    printed: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append).failed
    assert not failed, "".join(printed)


def test_a_measure_without_prose_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REGISTRY, "kinds", {**REGISTRY.kinds})

    @register
    class Unwritten(RankedMeasure):
        """A measure that nobody explained."""

        name = "Unwritten"
        formula = "relevance.recall"

    with pytest.raises((AssertionError, ValueError, StopIteration)):
        docstring_of(Unwritten)
    assert Unwritten.__doc__ == "A measure that nobody explained."


def test_docstrings_are_read_late_and_even_if_python_strips_them() -> None:
    code = """
import pickle, sys
import rankmeter as rm
measure = pickle.loads(pickle.dumps(rm.nDCG(gain="exp2") @ 10))
assert "tomllib" not in sys.modules
print(measure.__doc__)
"""
    stripped = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True).stdout
    assert stripped.startswith("Normalised discounted cumulative gain.\n\n    nDCG@k = ")
    assert stripped.partition("\n")[2].strip() == docstring_of(type(REGISTRY["nDCG"])).partition("\n")[2].strip()


@pytest.mark.parametrize("name", LISTS)
def test_the_example_of_a_list_states_the_value_that_its_code_computes(name: str) -> None:
    values = re.findall(r"\d+\.\d+", examples_of(read(name)["code"])[-1].want)
    assert values
    for language in ("en", "zh"):
        for value in values:
            assert value[:6] in read(name)[language]["example"]


def test_conventions_name_every_field_and_every_choice_in_both_languages() -> None:
    conventions = read("conventions")
    for file in OF_WINGS:
        conventions |= tomllib.loads(file.read_text("utf-8"))
    written: dict[str, set[str]] = {}
    for name in MEASURES:
        measure = REGISTRY[name]
        for option in fields(measure):
            own, rule = f"{option.name}_{name}", rule_of(option)
            values = {*rule.choices} | ({"map"} if rule.grades else set())
            if option.name == "unjudged" and rule.number:
                values.add("number")
            written.setdefault(own if own in conventions else option.name, set()).update(values)
    written["aggregate"].add("whole")  # of measures of lists
    assert set(conventions) == set(written)
    for option_name, choices in written.items():
        entry = conventions[option_name]
        assert set(entry) == ({"en", "zh", "choices"} if choices else {"en", "zh"})
        assert set(entry.get("choices", {})) == choices, option_name
        for text in (entry, *entry.get("choices", {}).values()):
            assert set(text) - {"choices"} == {"en", "zh"}
            for language in ("en", "zh"):
                check_text(text[language], chinese=language == "zh")
                assert "\n" not in text[language]


def precision(grades: list[int], k: int) -> float:
    return sum(g >= 1 for g in grades[:k]) / k


def ap_sum(grades: list[int], k: int) -> float:
    return sum(precision(grades, i) for i in range(1, min(k, len(grades)) + 1) if grades[i - 1] >= 1)


def f(p: float, r: float, beta: float) -> float:
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def dcg(gains: list[int] | list[float]) -> float:
    return sum(g / log2(i + 1) for i, g in enumerate(gains, 1))


def dcg_jk(gains: list[int]) -> float:
    return sum(g / log2(max(i, 2)) for i, g in enumerate(gains, 1))


def rbp(grades: list[int], p: float) -> float:
    return (1 - p) * sum(p ** (i - 1) for i, g in enumerate(grades, 1) if g >= 1)


def err(grades: list[int], max_grade: int) -> float:
    value, reached = 0.0, 1.0
    for i, g in enumerate(grades, 1):
        satisfied = (2**g - 1) / 2**max_grade
        value += reached * satisfied / i
        reached *= 1 - satisfied
    return value


def bpref(grades: list[int | None], r: int, n: int) -> float:
    value, above = 0.0, 0
    for g in grades:
        if g == 0:
            above += 1
        elif g is not None:
            value += 1 - min(above, r) / min(n, r) if above else 1
    return value / r


def infap(grades: list[int | None], r: int) -> float:
    """None: not in the pool; -1: pooled but not judged (m_infap.c of trec_eval)."""
    eps, value, rel, nonrel, unjudged = 1e-5, 0.0, 0, 0, 0
    for i, g in enumerate(grades, 1):
        if g == -1:
            unjudged += 1
        elif g == 0:
            nonrel += 1
        elif g is not None:
            share = (rel + eps) / (rel + nonrel + 2 * eps)
            value += 1.0 if i == 1 else 1 / i + (rel + nonrel + unjudged) / i * share
            rel += 1
    return value / r


def iprec(grades: list[int], r: int, x: float) -> float:
    ranks = range(1, len(grades) + 1)
    return max((precision(grades, i) for i in ranks if sum(grades[:i]) / r >= x), default=0.0)


def auc(scored: list[tuple[float, int]]) -> float:
    relevant = [s for s, g in scored if g]
    others = [s for s, g in scored if not g]
    return sum((a > b) + 0.5 * (a == b) for a in relevant for b in others) / (len(relevant) * len(others))


A = [1, 0, 1, 0, 1]
G = [3, 2, 3, 0, 1]
J: list[int | None] = [1, None, 0, None, 2]
EXP2 = [2**g - 1 for g in G]
# The values each example states, in the digits in which it states them.
STATED: dict[str, list[tuple[float, int]]] = {
    "P": [(precision(A, 3), 4), (precision(A, 10), 4), (precision(A, 5), 4)],
    "R": [(2 / 4, 4), (3 / 4, 4), (2 / min(4, 3), 4)],
    "F": [(f(precision(A, 3), 2 / 4, 1), 6), (f(precision(A, 3), 2 / 4, 2), 6)],
    "Success": [(1 / 3, 4), (2 / 3, 4)],
    "RR": [(1 / 3, 4), (0.0, 4), ((1 / 2 + 1 + 1 / 5) / 3, 6)],
    "AP": [
        (ap_sum(A, 5), 6),
        (ap_sum(A, 5) / 3, 6),
        (ap_sum(A, 5) / 4, 6),
        (ap_sum(A, 3) / 4, 6),
        (ap_sum(A, 3) / 3, 6),
    ],
    "nDCG": [
        (dcg(G), 6),
        (dcg([3, 3, 2, 1, 0]), 6),
        (dcg(G) / dcg([3, 3, 2, 1, 0]), 6),
        (dcg([3, 3, 3, 2, 1]), 6),
        (dcg(G) / dcg([3, 3, 3, 2, 1]), 6),
        (dcg(EXP2), 6),
        (dcg(sorted(EXP2, reverse=True)), 6),
        (dcg(EXP2) / dcg(sorted(EXP2, reverse=True)), 6),
        *((1 / log2(i), 7) for i in (3, 5, 6)),
    ],
    "DCG": [
        (dcg(G), 6),
        (dcg(EXP2), 6),
        (dcg_jk(G), 6),
        (2 / log2(3), 6),
        (3 / log2(3), 6),
        (1 / log2(6), 6),
        *((1 / log2(i), 7) for i in (3, 5, 6)),
    ],
    "CG": [(sum(G[:3]), 4), (sum(G), 4), (8 / 9, 4)],
    "Rprec": [(precision(A, 4), 4)],
    "RBP": [
        (rbp(A, 0.8), 6),
        (0.8**5, 6),
        (rbp(A, 0.8) + 0.8**5, 6),
        (rbp(A, 0.5), 6),
        (0.472 / 0.784, 6),
    ],
    "ERR": [(err(G, 3), 6), (err(G, 4), 6), (3 / 8 / 8 / 2, 6), (7 / 8 * 5 / 64 / 3, 6), (5 / 512 / 8 / 5, 6)],
    "Bpref": [(bpref([1, 0, None, 1, 0, 1], 4, 3), 4)],
    "infAP": [(infap([1, 0, -1, 1, None, 1], 3), 6), (0.625, 6), (1 / 6 + 4 / 6 * (2 + 1e-5) / (3 + 2e-5), 6)],
    "IPrec": [
        (iprec([0, 1, 1, 0, 1], 4, 0.25), 4),
        (iprec([0, 1, 1, 0, 1], 4, 0.6), 4),
        (iprec([0, 1, 1, 0, 1], 4, 1.0), 4),
    ],
    "SetP": [(precision(A, 5), 4)],
    "SetR": [(3 / 4, 4)],
    "SetF": [(f(3 / 5, 3 / 4, 1), 6), (f(3 / 5, 3 / 4, 2), 6)],
    "Judged": [(sum(g is not None for g in J[:2]) / 2, 4), (sum(g is not None for g in J) / min(10, 5), 4)],
    "AUC": [
        (auc([(5, 1), (4, 0), (3, 1), (2, 0), (1, 0)]), 6),
        (auc([(5, 1), (4, 0), (4, 1), (2, 0), (1, 0)]), 6),
        (auc([(5, 1), (4, 0), (3, 1), (2, 0), (1, 0), (0, 1)]), 6),
    ],
    "MeanRank": [((2 + 5) / 2, 4)],
    "MaxGrade": [(max(1, 0, 3), 4), (max(1, 0, 3, 4), 4)],
    "PairAccuracy": [(2 / 3, 6)],
    "IPrecAvg": [((1 + 1 + 0.5) / 3, 4)],
    "alpha_DCG": [(1 / log2(3), 5), (dcg([1, 0.5, 1]) / dcg([2, 1, 0.5]), 6)],
    "alpha_nDCG": [
        (1.5 + 0.5 / log2(3), 6),
        (1.25 + 1 / log2(3), 6),
        ((1.5 + 0.5 / log2(3)) / (1.25 + 1 / log2(3)), 6),
    ],
    "NumRelRet": [(4 / 5, 4), ((3 / 4 + 1) / 2, 4)],
    "CTR": [((1 + 1) / (10 + 2), 4), ((1 / 10 + 1 / 2) / 2, 4)],
    "CVR": [(1 / 3, 4), (1 / 8, 4)],
    "Conversions": [(2 / 3, 4), (1 / 3, 4)],
    "EngagedSessions": [(3 / 4, 4)],
}


OF_EVENTS = ("CTR", "CVR", "Conversions", "EngagedSessions")
ONLINE = pytest.mark.wings("online")


@pytest.mark.parametrize("name", [pytest.param(name, marks=ONLINE) if name in OF_EVENTS else name for name in STATED])
def test_the_worked_example_is_right(name: str) -> None:
    for language in ("en", "zh"):
        example = read(name)[language]["example"]
        for value, digits in STATED[name]:
            assert re.search(rf"(?<![\d.]){re.escape(f'{value:.{digits}f}')}(?!\d)", example), (language, value)


# Exact terms of the sums, and rounded terms named in passing.
TERMS = {
    "Bpref": {f"{1 - 1 / 3:.4f}", f"{1 - 2 / 3:.4f}"},
    "RBP": {f"{0.8**4:.4f}", f"{0.5**4}"},
    "ERR": {f"{7 / 8}"},
    "Q": {f"{6 / 7:.6f}"},
    "PMeasure": {f"{6 / 7:.6f}"},
    "PPlus": {f"{2 / 6:.6f}", f"{6 / 7:.6f}"},
    "infAP": {f"{1 / 6 + 4 / 6 * 2 / 3:.6f}"},
}


@pytest.mark.parametrize("name", MEASURES)
def test_no_number_of_the_example_is_left_unchecked(name: str) -> None:
    known = {f"{value:.{digits}f}" for value, digits in STATED.get(name, [])} | TERMS.get(name, set()) | computed(name)
    assert set(re.findall(r"\d+\.\d{3,}", read(name)["en"]["example"])) <= known


def computed(name: str) -> set[str]:
    """The numbers that the example's code prints, which is tested."""
    printed = "".join(example.want for example in examples_of(read(name)["code"]))
    return {*re.findall(r"\d+\.\d{3,}", printed)}


def test_values_named_in_the_warnings_are_right() -> None:
    for language in ("en", "zh"):
        assert f"{1 / log2(3):.4f}" in read("nDCG")[language]["misleads"]
        assert f"{f(2 / 10, 1, 1):.4f}" in read("F")[language]["misleads"]
        assert f"{err(G, 3):.6f}" in read("ERR")[language]["misleads"]
        assert f"{err(G, 4):.6f}" in read("ERR")[language]["misleads"]
        assert f"{(99 * 1 + 10_000) / 100:.2f}" in read("MeanRank")[language]["misleads"]
        assert f"{(100_000 - 1_000) / 99_999:.2f}" in read("AUC")[language]["misleads"]
