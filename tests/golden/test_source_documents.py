"""The worked examples of four texts that teach these measures, each computed through the public interface.

The texts are a catalogue of metrics, one held-out item per user, judging a retrieval run, and MRR@k against NDCG@k.
Where a text states a value that does not follow from its own data, the right value stands here, the test's name says
erratum, and the text's value is named beside it. The same examples are told step by step in ``docs/examples``.
"""

from __future__ import annotations

from math import log2
from pathlib import Path

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.measures.dialects import find_dialect

DIALECT = "seeds"
GRADES = [3, 2, 3, 0, 1]
"""Grades in ranked order, the example of three of the four texts."""


def exactly(value: float) -> object:
    return pytest.approx(value, rel=0, abs=1e-12)


def printed(value: float) -> object:
    """A value that is known in six decimals."""
    return pytest.approx(value, rel=0, abs=5e-7)


class TestCatalogueOfMetrics:
    def test_ap_of_hits_at_1_3_and_5(self):
        assert rm.value("AP", grades=[1, 0, 1, 0, 1]) == exactly((1 / 1 + 2 / 3 + 3 / 5) / 3)
        assert rm.value("AP", grades=[1, 0, 1, 0, 1]) == printed(0.755556)

    def test_ap_from_labels_and_scores_as_arrays(self):
        truth, scores = rm.arrays([[1, 0, 1, 0, 1]]), rm.arrays([[0.9, 0.8, 0.7, 0.6, 0.5]])
        assert rm.evaluate(truth, scores, "MAP")["MAP"] == printed(0.755556)

    def test_ndcg_at_5_from_grades_and_scores_as_arrays(self):
        truth, scores = rm.arrays([GRADES]), rm.arrays([[0.9, 0.8, 0.7, 0.6, 0.5]])
        assert rm.evaluate(truth, scores, "NDCG@5")["NDCG@5"] == printed(0.972364)

    def test_erratum_mrr_is_1_where_the_text_says_075(self):
        # Both lists begin with a relevant item: 2 is in [0, 2], 3 is in [1, 3].
        ev = rm.evaluate([[0, 2], [1, 3]], [[2, 0, 1], [3, 1, 2]], "MRR")
        assert ev.per_query["RR"].to_list() == [1.0, 1.0]
        assert ev["MRR"] == 1.0

    def test_its_code_drops_a_query_without_a_hit_although_its_formula_divides_by_all(self):
        truth, run = [[0, 2], [9]], [[1, 0, 2], [3, 1, 2]]
        ev = rm.evaluate(truth, run, ["RR", "RR(empty=skip,miss=skip)"])
        assert ev["RR"] == 0.25
        assert ev["RR(empty=skip,miss=skip)"] == 0.5

    def test_precision_and_recall_at_3(self):
        ev = rm.evaluate([[1, 3, 5]], [[2, 1, 5, 4, 3]], ["Precision@3", "Recall@3"])
        assert ev["Precision@3"] == exactly(2 / 3)
        assert ev["Recall@3"] == exactly(2 / 3)

    def test_recall_is_0_when_nothing_is_relevant(self):
        assert rm.evaluate({"u": {1: 0}, "v": [2]}, {"u": [1], "v": [1]}, "Recall@3")["Recall@3"] == 0.0

    def test_erratum_hit_rate_at_2_is_1_where_the_text_says_two_thirds(self):
        # Item 1 is second for the first user, item 2 second for the second, item 4 first for the third.
        ev = rm.evaluate([[1, 3], [2, 5], [4]], [[2, 1, 5], [3, 2, 6], [4, 7, 8]], "HitRate@2")
        assert ev.per_query["Success@2"].to_list() == [1.0, 1.0, 1.0]
        assert ev["HitRate@2"] == 1.0


HELD_OUT = {"A": [12], "B": [3], "C": [5], "D": [14], "E": [20]}
LISTS = {
    "A": [3, 10, 15, 12, 17],
    "B": [20, 15, 18, 14, 30],
    "C": [2, 5, 7, 8, 15],
    "D": [56, 14, 25, 12, 19],
    "E": [21, 24, 36, 54, 45],
}


class TestOneHeldOutItem:
    @pytest.fixture
    def ev(self):
        return rm.evaluate(HELD_OUT, LISTS, ["HR@5", "MRR@5", "NDCG@5"])

    def test_hit_ratio(self, ev):
        assert ev.per_query["Success@5"].to_list() == [1.0, 0.0, 1.0, 1.0, 0.0]
        assert ev["HR@5"] == exactly(3 / 5)

    def test_mrr_counts_a_miss_as_0(self, ev):
        assert ev.per_query["RR@5"].to_list() == [0.25, 0.0, 0.5, 0.5, 0.0]
        assert ev["MRR@5"] == exactly(0.25)

    def test_ndcg_of_one_item_is_1_over_log2_of_its_rank_plus_1(self, ev):
        assert ev["NDCG@5"] == exactly((1 / log2(5) + 2 / log2(3)) / 5)
        assert ev["NDCG@5"] == printed(0.338507)

    def test_the_mean_is_over_all_five_users(self, ev):
        assert [ev.counted(measure) for measure in ("HR@5", "MRR@5", "NDCG@5")] == [5, 5, 5]


# Queries 171 to 174; the first relevant document stands fourth, nowhere, nowhere, fifth.
LABELLED = """\
171 Q0 305345146675949568 0
171 Q0 305345146675949569 -1
171 Q0 305345146675949570 0
171 Q0 305345146675949571 1
172 Q0 305345146675949568 0
172 Q0 305345146675949572 0
173 Q0 305345146675949573 -2
174 Q0 305345146675949574 0
174 Q0 305345146675949568 0
174 Q0 305345146675949575 0
174 Q0 305345146675949576 0
174 Q0 305345146675949577 2
"""
JK = "nDCG(discount=jk,ideal=list)"
"""Ranks 1 and 2 undiscounted, rank i divided by log2(i); the ideal is the same list in the best order."""


class TestJudgingARetrievalRun:
    def test_mrr_of_ranks_4_none_none_5(self):
        lists = rm.ranked_grades([[0, 0, 0, 1], [0, 0], [0], [0, 0, 0, 0, 1]])
        assert rm.evaluate(lists, measures="MRR")["MRR"] == exactly(0.1125)

    def test_mrr_from_the_labelled_file(self, tmp_path: Path):
        path = tmp_path / "labelled.txt"
        path.write_text(LABELLED)
        ev = rm.evaluate(rm.read_labelled(path), measures=["MAP", "MRR", JK])
        assert ev["MRR"] == exactly(0.1125)
        # A single relevant document: AP is its precision, and nDCG its discount.
        assert ev["MAP"] == exactly((1 / 4 + 1 / 5) / 4)
        assert ev[JK] == exactly((1 / log2(4) + 1 / log2(5)) / 4)

    def test_map_divides_by_the_relevant_documents_of_the_list(self):
        # Only the list is judged, so R, what was found and what could be found are one number.
        for norm in ("relevant", "found", "hits", "list"):
            assert rm.value(f"AP(norm={norm})", grades=[1, 0, 1, 0, 1]) == printed(0.755556)

    def test_map_with_judgments_beside_the_list_needs_to_say_so(self):
        truth, run = {"171": ["a", "c", "z"]}, {"171": ["a", "b", "c"]}
        ev = rm.evaluate(truth, run, ["AP", "AP(norm=found)"])
        assert ev["AP"] == exactly((1 + 2 / 3) / 3)
        assert ev["AP(norm=found)"] == exactly((1 + 2 / 3) / 2)

    def test_map_is_0_where_the_texts_code_divides_by_zero(self):
        assert rm.value("MAP", grades=[0, 0, 0]) == 0.0
        assert rm.value(JK, grades=[0, 0, 0]) == 0.0

    def test_grades_below_0_count_as_0(self):
        for measure in ("MAP", "MRR", JK):
            assert rm.value(measure, grades=[-2, 1, -1, 3]) == rm.value(measure, grades=[0, 1, 0, 3])

    def test_dcg_with_the_original_discount(self):
        assert rm.value("DCG(discount=jk)", grades=GRADES) == printed(7.323466)
        assert rm.value("DCG(discount=jk)", grades=sorted(GRADES, reverse=True)) == printed(7.761860)

    def test_ndcg_with_the_original_discount_is_another_number_than_the_usual_one(self):
        assert rm.value(JK, grades=GRADES) == printed(0.943520)
        assert rm.value("nDCG", grades=GRADES) == printed(0.972364)

    def test_three_lines_rounded_to_five_digits(self):
        lists = rm.ranked_grades([GRADES, [0, 1, 0, 2]])
        ev = rm.evaluate(lists, measures=["MAP", "MRR", JK])
        lines = [f"{name} = {round(ev[asked], 5)}" for name, asked in (("MAP", "MAP"), ("MRR", "MRR"), ("NDCG", JK))]
        ap = ((1 + 1 + 1 + 4 / 5) / 4 + (1 / 2 + 2 / 4) / 2) / 2
        ndcg = (7.323465818787765 / 7.761859507142915 + (1 + 2 / 2) / (2 + 1)) / 2
        assert lines == [f"MAP = {round(ap, 5)}", "MRR = 0.75", f"NDCG = {round(ndcg, 5)}"]


class TestMrrAndNdcgAtK:
    def test_mrr_at_5_of_ranks_2_1_and_5(self):
        lists = rm.ranked_grades([[0, 1], [1], [0, 0, 0, 0, 1]])
        assert rm.evaluate(lists, measures="MRR@5")["MRR@5"] == exactly((1 / 2 + 1 + 1 / 5) / 3)
        assert rm.evaluate(lists, measures="MRR@5")["MRR@5"] == printed(0.566667)

    def test_a_query_without_a_hit_within_k_counts_0_or_is_skipped(self):
        lists = rm.ranked_grades([[0, 1], [1], [0, 0, 0, 0, 1]])
        ev = rm.evaluate(lists, measures=["MRR@4", "MRR(miss=skip)@4"])
        assert ev["MRR@4"] == exactly((1 / 2 + 1) / 3)
        assert ev["MRR(miss=skip)@4"] == exactly((1 / 2 + 1) / 2)
        assert ev.counted("MRR(miss=skip)@4") == 2

    def test_dcg_idcg_and_ndcg_at_5(self):
        assert rm.value("DCG@5", grades=GRADES) == printed(6.148712)
        assert rm.value("DCG@5", grades=sorted(GRADES, reverse=True)) == printed(6.323466)
        assert rm.value("NDCG@5", grades=GRADES) == printed(0.972364)

    def test_ndcg_of_the_ideal_order_is_1(self):
        assert rm.value("NDCG@5", grades=sorted(GRADES, reverse=True)) == 1.0


class TestTheDialectOfTheTexts:
    """`dialect="seeds"`: what the texts' own code computes, where it breaks ties and where its comments are wrong."""

    @pytest.mark.parametrize("labels", [[1, 0], [0, 1], [0, 1, 1, 0], [2, 0, 3, 1], [0, 3, 2, 0, 1]])
    @pytest.mark.parametrize("scores", [[0.5] * 5, [0.5, 0.5, 0.5, 0.1, 0.1], [0.1, 0.3, 0.3, 0.9, 0.3]])
    def test_ap_and_ndcg_break_ties_as_its_code_does(self, labels, scores):
        metrics = pytest.importorskip("sklearn.metrics")
        scores = scores[: len(labels)]
        ev = rm.evaluate(rm.arrays([labels]), rm.arrays([scores]), ["MAP-001", "NDCG-001@3"], dialect=DIALECT)
        assert ev["MAP-001"] == exactly(metrics.average_precision_score(np.array(labels) > 0, scores))
        backwards = [labels[place] for place in np.argsort(np.array(scores), kind="stable")[::-1]]
        ideal = sorted(labels, reverse=True)
        dcg, idcg = (sum(g / log2(i + 2) for i, g in enumerate(row[:3])) for row in (backwards, ideal))
        assert ev["NDCG-001@3"] == exactly(dcg / idcg)

    def test_two_tied_items_of_which_the_first_is_relevant(self):
        ev = rm.evaluate(rm.arrays([[1, 0]]), rm.arrays([[0.5, 0.5]]), ["MAP-001", "NDCG-001@2"], dialect=DIALECT)
        assert ev["MAP-001"] == 0.5
        assert ev["NDCG-001@2"] == exactly(1 / log2(3))

    def test_ndcg_looks_at_five_items_unless_told_otherwise(self):
        assert str(find_dialect("seeds").measure("NDCG-001")) == "nDCG(ideal=list,ties=reversed)@5"

    def test_errata_are_quoted_beside_the_right_values(self):
        seeds = find_dialect("seeds")
        items = rm.Catalogue(items=range(1, 9))
        ev = rm.evaluate(None, [[1, 2, 3], [2, 4, 5], [3, 6, 7]], ["Coverage-001"], catalogue=items, dialect=DIALECT)
        assert ev["Coverage-001"] == 0.875
        errata = {"Coverage-001": "0.75", "HitRate-001": "2/3", "MRR-001": "0.75"}
        for name, stated in errata.items():
            (metric,) = seeds.metrics.named(name)
            assert all(stated in text for text in (metric.reason or {}).values())
            assert metric.reason

    def test_diversity_and_novelty(self):
        features = [[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.9, 0.4]]
        items = rm.Catalogue(items=[0, 1, 2], features=features)
        assert rm.evaluate(None, [[0, 1, 2]], "Diversity-001", catalogue=items, dialect=DIALECT)[
            "Diversity-001"
        ] == printed(0.431200)
        lists = [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
        assert rm.evaluate(None, lists, "Novelty-001", dialect=DIALECT)["Novelty-001"] == printed(1.522955)

    def test_what_its_code_does_and_no_definition_has_is_listed(self):
        listed = {(name, accident.when) for accident in find_dialect("seeds").accidents for name in accident.metrics}
        assert ("MRR-004", "grades above 1") in listed
        assert ("NDCG-001", "k beyond the longest list") in listed
        assert ("MAP-003", "no relevant item") in listed
