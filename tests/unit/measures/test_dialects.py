"""Dialects: every file is complete, names are read as their tools spell them, and mistakes are told."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from make_dialects import PAGES, page

import rankmeter as rm
from rankmeter.measures.dialects import dialect_names, find_dialect

ROOT = Path(__file__).parents[3]
ASKED_FOR = {
    *("trec_eval", "ir_measures", "ranx", "sklearn", "torchmetrics", "recbole", "recommenders", "rectools", "replay"),
    *("lenskit", "cornac", "implicit", "recmetrics", "rexmex", "elliot", "evidently", "spark_mllib", "beir", "mteb"),
    *("sentence_transformers", "lightgbm", "xgboost", "catboost", "seeds"),
}


def test_the_tools_that_people_come_from_are_there() -> None:
    assert set(dialect_names()) >= ASKED_FOR


@pytest.mark.parametrize("name", dialect_names())
def test_every_text_is_there_in_both_languages(name: str) -> None:
    dialect = find_dialect(name)
    texts = [dialect.text, *(one.text for one in (*dialect.variants, *dialect.accidents))]
    texts += [metric.reason for metric in dialect.metrics if metric.reason]
    for text in texts:
        assert not re.search("[\u4e00-\u9fff]", text["en"])
        assert re.search("[\u4e00-\u9fff]", text["zh"])


@pytest.mark.parametrize("name", dialect_names())
def test_every_metric_and_every_option_of_it_is_a_measure_that_can_be_made(name: str) -> None:
    for metric in find_dialect(name).metrics:
        number = {"cutoff": 5, "depth": 5, "negatives": 5, "": None}.get(metric.number, 0.5)
        assert rm.parse(str(metric.build(number, {}))) == metric.build(number, {})
        for option, meant in metric.options.items():
            for value in [] if isinstance(meant, str) else meant:
                assert metric.build(number, {option: value})


@pytest.mark.parametrize("name", dialect_names())
def test_metrics_that_are_read_one_by_one_are_those_of_the_whole_file(name: str) -> None:
    entries = tomllib.loads((ROOT / f"src/rankmeter/measures/dialects/{name}.toml").read_text())["metric"]
    metrics = find_dialect(name).metrics
    assert [list(names) for names in metrics.names] == [entry["names"] for entry in entries]
    for metric, entry in zip(metrics, entries, strict=True):
        assert (list(metric.names), metric.measure) == (entry["names"], entry["measure"])
        assert (metric.reason or {}).get("zh") == entry.get("zh")
        assert list(metric.defaults) == entry.get("defaults", [])
        assert metric in metrics.named(metric.name)
    assert all(metric is again for metric, again in zip(metrics, metrics, strict=True)), "each is made once"


def test_the_first_grade_is_the_level_that_trec_eval_takes_without_one() -> None:
    stated, plain = find_dialect("trec_eval:l=1").metrics, find_dialect("trec_eval").metrics
    for one, other in zip(stated, plain, strict=True):
        number = {"cutoff": 5, "negatives": 5, "": None}.get(one.number, 0.5)
        assert one.build(number, {}) == other.build(number, {})


@pytest.mark.parametrize("name", dialect_names())
def test_no_two_metrics_of_a_tool_share_a_name(name: str) -> None:
    names = [one.casefold() for metric in find_dialect(name).metrics for one in metric.names]
    known = {"p", "map", "mrr", "r"}  # ir_measures tells AP and MAP apart by nothing but the name
    assert len(set(names)) == len(names) or set(names) & known


@pytest.mark.parametrize(
    ("dialect", "text", "measure"),
    [
        ("recbole", "ndcg@10", "nDCG(gain=binary,ties=input)@10"),
        ("trec_eval:c", "ndcg_cut_10", "nDCG@10"),
        ("trec_eval:c", "ndcg.1=3,2=9", "nDCG(gain={1:3,2:9})"),
        ("trec_eval:c", "iprec_at_recall_0.30", "IPrec(rounding=nearest)@0.3"),
        ("trec_eval:9,c", "iprec_at_recall..30", "IPrec(rounding=trec9,scores=float32)@0.3"),
        ("trec_eval:c,l=2", "recip_rank", "RR(rel=2)"),
        ("trec_eval:c,l=2", "ndcg", "nDCG"),
        ("trec_eval:c,M=10", "P_5", "P(depth=10)@5"),
        ("ranx", "rbp.95", "RBP(gain=linear,p=0.95,ties=input)"),
        ("ranx", "ndcg@5-l2", "nDCG(rel=2,ties=input)@5"),
        ("xgboost", "ndcg@5-", "nDCG(blank=skip,candidates=list,gain=exp2,queries=common,scores=float32,ties=input)@5"),
        ("recommenders", "ndcg_at_k(k=20, score_type='exp')", "nDCG(empty=skip,gain=exp2,ties=input)@20"),
        ("implicit", "ranking_metrics_at_k(K=5)['map']", "AP(empty=skip,norm=capped,ties=input)@5"),
        ("mteb", "ndcg_at_10", "nDCG(queries=common,scores=float32)@10"),
        ("ir_measures", "RR@10", "RR(ties=item-ascending)@10"),
        ("ir_measures", "RR", "RR(scores=float32)"),
        ("torchmetrics:1.6", "RetrievalNormalizedDCG(top_k=3)",
         "nDCG(blank=skip,candidates=list,queries=common,scores=float32,ties=mean)@3"),
    ],
)  # fmt: skip
def test_names_are_read_as_their_tools_spell_them(dialect: str, text: str, measure: str) -> None:
    assert str(find_dialect(dialect).measure(text)) == measure


def test_a_name_with_several_numbers_is_several_measures() -> None:
    assert list(find_dialect("trec_eval").measures("P.5,10")) == ["P_5", "P_10"]
    assert len(find_dialect("trec_eval").measures("map_cut")) == 9


@pytest.mark.parametrize(
    ("dialect", "text", "told"),
    [
        ("recbole", "NDGC@10", "did you mean 'NDCG'"),
        ("recbole", "NDCG(top_k=3)", "no option 'top_k'"),
        ("rectools", "MAP(k=5, divide_by_k=7)", "divide_by_k=7 is unknown"),
        ("trec_eval", "map_5", "map takes no number in trec_eval, but 5 was given. Hint: map_cut_5"),
        ("trec_eval", "NDCG@10", "Hint: ndcg_cut_10"),
    ],
)
def test_what_a_tool_does_not_have_is_refused(dialect: str, text: str, told: str) -> None:
    with pytest.raises(rm.MeasureError, match=re.escape(told)):
        find_dialect(dialect).measures(text)


@pytest.mark.parametrize("name", dialect_names())
def test_every_name_alone_is_a_measure_or_a_sentence(name: str) -> None:
    dialect = find_dialect(name)
    for metric in dict.fromkeys(metric for names in dialect.metrics.names for metric in names):
        for text in (metric, f"{metric}{dialect.separator}5"):
            with suppress(rm.MeasureError):
                assert dialect.measures(text)


def test_an_option_that_a_metric_is_known_by_is_asked_for() -> None:
    with pytest.raises(rm.MeasureError, match=r"UnrepeatedReco of rectools is reproduced only if deep is stated"):
        find_dialect("rectools").measure("UnrepeatedReco@5")


@pytest.mark.parametrize(
    ("text", "told"), [("recbol", "did you mean 'recbole'"), ("trec_eval:x", "unknown option 'x'")]
)
def test_an_unknown_dialect_or_option_is_refused(text: str, told: str) -> None:
    with pytest.raises(rm.NotFoundError, match=re.escape(told)):
        find_dialect(text)


def test_options_of_the_call_come_before_those_of_the_dialect() -> None:
    truth, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]}
    assert rm.evaluate(truth, run, "map", dialect="trec_eval")["map"] == 1.0
    assert rm.evaluate(truth, run, "map", dialect="trec_eval", queries="judged")["map"] == 0.5


def test_measures_given_as_values_keep_their_own_definition_in_a_dialect() -> None:
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": ["a"]}
    ev = rm.evaluate(truth, run, ["MAP@1", rm.AP @ 1], dialect="recbole")
    assert (ev["MAP@1"], ev[rm.AP @ 1]) == (1.0, 0.5)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_of_all_tools_side_by_side_is_current(language: str) -> None:
    assert PAGES[language].read_text("utf-8") == page(language), "run: python docs/tools/make_dialects.py"
