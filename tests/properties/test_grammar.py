"""The grammar: what people type is understood, what cannot be understood is refused in one way only."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.properties.strategies import measures

from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, into_measures, parse, parse_measures
from rankmeter.measures.names import ALIASES
from rankmeter.wings import table

CANONICAL = {
    "nDCG@10": "nDCG@10",
    "nDCG(gain=linear)@10": "nDCG@10",
    "nDCG(ties=mean,gain=exp2)@10": "nDCG(gain=exp2,ties=mean)@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(gain=exp2)@10",
    "nDCG(gains={2:9,1:3})@10": "nDCG(gain={1:3,2:9})@10",
    "nDCG(cutoff=10)": "nDCG@10",
    " AP ( rel = 2 ) @ 100 ": "AP(rel=2)@100",
    "AP(rel=2.0)@100": "AP(rel=2)@100",
    "AP(judged_only=True)": "AP(unjudged=removed)",
    "P(queries=common)@5": "P(queries=common)@5",
    "RR(rel=2)@10": "RR(rel=2)@10",
    "IPrec@0.50": "IPrec@0.5",
    "IPrec@.5": "IPrec@0.5",
    "IPrec@0": "IPrec",
    "IPrec@1.0": "IPrec@1",
    "RBP(p=0.8)": "RBP",
    "nDCG(gain=binary,ideal=full)@10": "nDCG(gain=binary,ideal=full)@10",
    "RBP(gain=exp2,max_grade=3)": "RBP(gain=exp2,max_grade=3)",
    "RBP(gain=exp2, max_grade=3,)": "RBP(gain=exp2,max_grade=3)",
    "ERR@20": "ERR@20",
    "AUC(ties=item)": "AUC(ties=item)",
    "map": "AP",
    "map_cut_100": "AP@100",
    "gm_map": "AP(aggregate=geometric)",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "P_5": "P@5",
    "P.5": "P@5",
    "recall_1000": "R@1000",
    "success_5": "Success@5",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "iprec_at_recall_.10": "IPrec@0.1",
    "recip_rank": "RR",
    "num_rel_ret": "NumRelRet",
    "set_F": "SetF",
    "ndcg@10": "nDCG@10",
    "ndcg@10-l2": "nDCG(rel=2)@10",
    "mrr": "RR",
    "hit_rate@5": "Success@5",
    "rbp.95": "RBP(p=0.95)",
    "r-precision": "Rprec",
    "MRR@10": "RR@10",
    "MAP": "AP",
    "Precision@5": "P@5",
    "Recall@20": "R@20",
    "HitRate@5": "Success@5",
    "HR@5": "Success@5",
    "F1@5": "F@5",
}

REFUSED = [
    "", " ", "@", "@10", "()", "nDCG@", "nDCG@@10", "nDCG(", "nDCG)", "nDCG()@", "nDCG(gain)", "nDCG(gain=)",
    "nDCG(gain=exp2", "nDCG(gain=exp2,gain=exp2)", "nDCG(gain={)", "nDCG(gain={1})", "nDCG(gain={1:})", "nDCG(gain={})",
    "nDCG(gain={1:2,1:3})", "nDCG(gain={a:2})", "nDCG(gain={1:-2})", "nDCG(gain={1:{1:2}})", "nDCG(gain={{1:2}:1})",
    "nDCG@0", "nDCG@-1", "nDCG@1.5", "nDCG@ten", "nDCG@10,", "nDCG@10 20", "nDGC@10", "nDCG(10)", "nDCG(color=red)",
    "nDCG(ties=never)", "nDCG(rel=two)", "RBP(p=1)", "RBP(p=0)", "RBP(p=1e999)", "RBP(gain=exp2)", "IPrec@2",
    "IPrec@-0.1", "ERR(max_grade=0)", "AP(rel=1e400)", "P@1e400", "P@99999999999999999999999e400", "P(cutoff=True)@5",
    "AP(norm=hits,ties=mean)@5", "nDCG(ideal=full)", "ERR(ties=mean)", "AUC(ties=shared)", "P@5 extra", "P;Q", "\x00",
    "nDCG@²", "P_²", "AP(rel='2')", "AP(rel=None)", "F(beta=0)", "nDCG(gain=True)",
]  # fmt: skip


OF_EVENTS = [name for family in table.FAMILIES.values() for name in family.split()]
ONLINE = pytest.mark.wings("online")


@pytest.mark.parametrize(
    "alias", [pytest.param(a, marks=ONLINE) if ALIASES[a] in OF_EVENTS else a for a in sorted(ALIASES)]
)
def test_every_alias_stands_for_its_measure(alias):
    assert parse(alias) == parse(ALIASES[alias])


@pytest.mark.parametrize("name", sorted(name for name, measure in REGISTRY.items() if not measure.custom))
def test_the_plain_name_is_the_measure_with_default_options(name):
    assert parse(name) == REGISTRY[name]
    assert str(REGISTRY[name]) == name


@pytest.mark.parametrize(("text", "canonical"), CANONICAL.items())
def test_text_has_one_canonical_form(text, canonical):
    assert str(parse(text)) == canonical
    assert str(parse(canonical)) == canonical


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_measure_is_a_measure_error(text):
    with pytest.raises(MeasureError):
        parse(text)


@settings(max_examples=200)
@given(measures())
def test_reading_the_text_of_a_measure_gives_the_measure(measure):
    assert parse(str(measure)) == measure
    assert hash(parse(str(measure))) == hash(measure)


@given(measures())
def test_different_measures_have_different_texts(measure):
    other = measure(queries="common" if measure.queries != "common" else "run")
    assert str(other) != str(measure)


@given(
    st.sampled_from(["nDCG", "P", "AP(rel=2)", "P(norm=list)"]), st.lists(st.integers(1, 1000), min_size=1, max_size=4)
)
def test_several_cutoffs_are_several_measures(text, cutoffs):
    many = parse_measures(f"{text}@{','.join(map(str, cutoffs))}")
    assert many == [parse(text) @ cutoff for cutoff in cutoffs]


@given(st.text(max_size=40))
@example("nDCG(gain={1:2}:3)")
def test_any_text_is_a_measure_or_a_measure_error(text):
    with contextlib.suppress(MeasureError):
        for measure in parse_measures(text):
            assert parse(str(measure)) == measure


N = 100_000
LONG = {
    "braces": "nDCG(gain=" + "{" * N,
    "brackets": "nDCG" + "(" * N,
    "digits": "nDCG@" + "9" * N,
    "digits of an option": "nDCG(rel=" + "9" * N + ")",
    "digits after the point": "IPrec@0." + "1" * N,
    "digits of a level": "ndcg@10-l" + "1" * N,
    "digits of a patience": "rbp." + "9" * N,
    "digits, then a letter": "P_" + "1" * N + "," + "1" * N + "x",
    "cutoffs, then a letter": "P_" + "1," * N + "x",
    "numbers in braces": "nDCG(gain={" + "1," * N,
    "pairs in braces": "nDCG(gain={" + "1:1," * N,
    "blanks": " " * N,
    "blanks before @": "AP" + " " * N + "?@10",
    "blanks before a comma": "AP" + " " * N + ",?",
    "a name": "x" * N,
    "parts of a name": "P_1" + "_1" * N + "x",
    "levels": "-l1" * N,
    "quotes": "AP(rel='" + "\"'" * N,
    "points": "a." * N,
}


@pytest.mark.parametrize("what", LONG)
@pytest.mark.parametrize("read", [parse_measures, into_measures])
def test_a_text_of_any_length_is_refused_in_a_short_sentence(read, what):
    # What takes more than the time of its length takes hours here.
    with pytest.raises(MeasureError) as refused:
        read(LONG[what])
    assert len(str(refused.value)) < 700


@pytest.mark.parametrize("given", [["AP"], ("AP",), None, 3, 2.5, b"AP", {"AP": 1}, parse("AP")])
@pytest.mark.parametrize("read", [parse, parse_measures])
def test_what_is_no_text_is_refused_in_a_sentence(read, given):
    with pytest.raises(MeasureError, match="read from text such as 'nDCG@10'"):
        read(given)


def test_blanks_without_end_around_a_cutoff_change_nothing():
    assert into_measures(f"AP{' ' * N}@{' ' * N}10{' ' * N},{' ' * N}20") == parse_measures("AP@10,20")


PIECES = [
    *sorted(REGISTRY), *sorted(ALIASES), "(", ")", "{", "}", "=", ",", ":", "@", " ", "'", '"', "1", "2", "0.5", "-1",
    "1e999", "nan", "inf", "True", "None", "gain", "gains", "rel", "ties", "cutoff", "k", "p", "norm", "queries",
    "mean", "exp2", "{1:2}", "list", "judged_only", "relative", "dcg", "_", ".", "-l2", "rbp.9", "٣",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_any_mixture_of_pieces_is_a_measure_or_a_measure_error(text):
    with contextlib.suppress(MeasureError):
        for measure in parse_measures(text):
            assert parse(str(measure)) == measure
