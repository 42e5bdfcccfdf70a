# Written by docs/tools/make_names.py: what an editor completes and a type checker checks.
# mypy: disable-error-code="override"
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from rankmeter.lists.catalogue import Catalogue as Catalogue
from rankmeter.comparing.results import Comparison as Comparison
from rankmeter.evaluating.result import Evaluation as Evaluation
from rankmeter.errors import InputError as InputError
from rankmeter.inputs.tables import Labelled as Labelled
from rankmeter.measures import Measure as Measure
from rankmeter.errors import MeasureError as MeasureError
from rankmeter.errors import MissingExtraError as MissingExtraError
from rankmeter.errors import NotFoundError as NotFoundError
from rankmeter.errors import RankmeterError as RankmeterError
from rankmeter.errors import RankmeterWarning as RankmeterWarning
from rankmeter.lists.slices import Slices as Slices
from rankmeter.comparing.advice import advise as advise
from rankmeter.inputs.arrays import arrays as arrays
from rankmeter.comparing.comparison import compare as compare
from rankmeter.evaluating.verb import evaluate as evaluate
from rankmeter.definitions.worked import explain as explain
from rankmeter.inputs.shards import files as files
from rankmeter.comparing.comparison import folds as folds
from rankmeter.comparing.saved_files import load as load
from rankmeter.arithmetic.custom import measure as measure
from rankmeter.measures import parse as parse
from rankmeter.measures import parse_measures as parse_measures
from rankmeter.comparing.unjudged import pool as pool
from rankmeter.inputs.arrays import ranked_grades as ranked_grades
from rankmeter.inputs.files import read_judgments as read_judgments
from rankmeter.inputs.files import read_labelled as read_labelled
from rankmeter.inputs.files import read_run as read_run
from rankmeter.inputs.passages import roll_up as roll_up
from rankmeter.comparing.comparison import seeds as seeds
from rankmeter.stats.topic_sets import topics_needed as topics_needed
from rankmeter.evaluating.verb import value as value
from rankmeter.wings.fusion.definition import Fusion as Fusion
from rankmeter.wings.results.history import History as History
from rankmeter.wings.fusion.ablating import ablate as ablate
from rankmeter.wings.results.across import across as across
from rankmeter.wings.searches.approximate import ann_recall as ann_recall
from rankmeter.wings.results.auditing import audit as audit
from rankmeter.wings.protocol.baselines import baselines as baselines
from rankmeter.wings.conformance.reconcile import between as between
from rankmeter.wings.judging.board_overlap import board_overlap as board_overlap
from rankmeter.wings.conformance.checking import check as check
from rankmeter.wings.protocol.debiasing import debias as debias
from rankmeter.wings.results.differences import difference_across as difference_across
from rankmeter.wings.judging.draws import draw as draw
from rankmeter.wings.judging.evidence_scores import evidence as evidence
from rankmeter.wings.judging.predicted_queries import foresight as foresight
from rankmeter.wings.fusion.fusing import fuse as fuse
from rankmeter.wings.fusion.streamed import fuse_to_file as fuse_to_file
from rankmeter.wings.conformance.hunting import hunt as hunt
from rankmeter.wings.judging.judge_page import judge_page as judge_page
from rankmeter.wings.judging.panel_agreement import judges as judges
from rankmeter.wings.online.click_grades import judgments_from_clicks as judgments_from_clicks
from rankmeter.wings.judging.two_leaderboards import leaderboards as leaderboards
from rankmeter.wings.doors.trackers import log_to_mlflow as log_to_mlflow
from rankmeter.wings.doors.trackers import log_to_tensorboard as log_to_tensorboard
from rankmeter.wings.doors.trackers import log_to_wandb as log_to_wandb
from rankmeter.wings.judging.nugget_scores import nuggets as nuggets
import rankmeter.wings.online.public_names as online
from rankmeter.wings.protocol.looking import protocol_of as protocol_of
from rankmeter.wings.catalogue.catalogue_ranking import rank_catalogue as rank_catalogue
from rankmeter.wings.catalogue.ranked_ids import ranked_ids as ranked_ids
from rankmeter.wings.conformance.reconcile import reconcile as reconcile
from rankmeter.wings.fusion.reconciling import reconcile_fusion as reconcile_fusion
from rankmeter.wings.judging.corrected_shares import rogan_gladen as rogan_gladen
from rankmeter.wings.protocol.sampling import sampled as sampled
from rankmeter.wings.protocol.sampling import sampled_ranks as sampled_ranks
from rankmeter.wings.conformance.score_tables import score_table as score_table
from rankmeter.wings.searches.called_runs import searches as searches
from rankmeter.wings.judging.abstention import silence as silence
from rankmeter.wings.protocol.splitting import split as split
from rankmeter.wings.catalogue.tensors import tensors as tensors
from rankmeter.wings.fusion.tuning import tune as tune
from rankmeter.measures import blended as _blended
from rankmeter.measures import counts as _counts
from rankmeter.measures import coverage as _coverage
from rankmeter.measures import decisions as _decisions
from rankmeter.measures import diversity as _diversity
from rankmeter.measures import fairness as _fairness
from rankmeter.measures import gains as _gains
from rankmeter.measures import historic as _historic
from rankmeter.measures import hits as _hits
from rankmeter.measures import incomplete as _incomplete
from rankmeter.measures import listdiversity as _listdiversity
from rankmeter.measures import listquality as _listquality
from rankmeter.measures import order as _order
from rankmeter.measures import popularity as _popularity
from rankmeter.measures import users as _users
from rankmeter.measures import value as _value
from rankmeter.wings.online import measures as _online_measures
from rankmeter.wings.searches import measures as _searches_measures

__version__: str

__all__ = ["ablate", "ACLT", "across", "advise", "AllRelevant", "alpha_DCG", "alpha_nDCG", "ann_recall", "AP", "AP_IA",
    "APLT", "ARP", "arrays", "AUC", "audit", "AveragePopularity", "AverageRecommendationPopularity", "AvgRecPopularity",
    "AWRF", "baselines", "between", "binG", "board_overlap", "BPM", "BPref", "Bpref", "Calibration", "CallRepeats",
    "CallsNeeded", "CatalogCoverage", "Catalogue", "CatalogueAccuracy", "CatalogueCoverage", "CategoryDiversity",
    "CategoryEntropy", "CG", "ChainComplete", "check", "compare", "Comparison", "Compat", "Conversions", "Coverage",
    "CTR", "CVR", "DCG", "debias", "difference_across", "Disparity", "Diversity", "draw", "DuplicateItems", "EE_D",
    "EE_L", "EE_R", "EFD", "EngagedSessions", "Entropy", "EPC", "ERR", "ERR_IA", "evaluate", "Evaluation", "evidence",
    "ExpectedFreeDiscovery", "ExpectedPopularityComplement", "explain", "ExposureGini", "F", "F1", "files", "folds",
    "foresight", "fuse", "fuse_to_file", "Fusion", "G", "GAUC", "Gini", "GiniIndex", "GMAP", "GroupExposure", "History",
    "Hit", "HitRate", "Hits", "HR", "hunt", "ILD", "ILS", "infAP", "InputError", "INSQ", "INST", "IntraListDistance",
    "IntraListDiversity", "IntraListSimilarity", "IPrec", "IPrecAvg", "ItemCoverage", "JointExposure", "judge_page",
    "Judged", "judges", "judgments_from_clicks", "Labelled", "leaderboards", "load", "log_to_mlflow",
    "log_to_tensorboard", "log_to_wandb", "LongTailShare", "MAP", "Margin", "MaxGrade", "MCC",
    "MeanInverseUserFrequency", "MeanInvUserFreq", "MeanRank", "Measure", "measure", "MeasureError",
    "MissingExtraError", "MIUF", "MRR", "NDCG", "nDCG", "nDCGrel", "NERR10", "NERR11", "NERR8", "NERR9", "nERR_IA",
    "nNRBP", "NotFoundError", "Novelty", "NRBP", "nsDCG", "nuggets", "NumNonrelRet", "NumQ", "NumRel", "NumRelRet",
    "NumRet", "OMeasure", "online", "OutsideCatalogue", "P", "P_IA", "PairAccuracy", "parse", "parse_measures",
    "PartialAUC", "Personalisation", "Personalization", "PMeasure", "pool", "PopREO", "PopRSP", "PopularityLift",
    "PPlus", "Prec", "Precision", "protocol_of", "Q", "R", "rank_catalogue", "ranked_grades", "ranked_ids",
    "RankmeterError", "RankmeterWarning", "RBP", "RBPResidual", "read_judgments", "read_labelled", "read_run", "Recall",
    "reconcile", "reconcile_fusion", "Revenue", "RnDCG", "rogan_gladen", "roll_up", "RPrec", "Rprec", "RR", "sampled",
    "sampled_ranks", "score_table", "SDCG", "sDCG", "searches", "SearchRecall", "seeds", "SeenItems", "SegmentGap",
    "SelfInformation", "Serendipity", "SessionDuration", "SetAP", "SetF", "SetP", "SetR", "ShannonEntropy",
    "ShortLists", "silence", "Slices", "split", "sRBP", "StRecall", "Success", "TailPercentage", "TailShare", "tensors",
    "topics_needed", "tune", "Unexpectedness", "Unjudged", "UserCoverage", "Utility", "Value", "value", "ValueHitRate",
    "ValueNDCG"]


class _NumQ(_counts.NumQueries):
    """The number of queries that the other numbers are about.

        NumQ = number of queries evaluated

    How many queries the evaluation covers. The convention `queries` decides which queries these are.

    Report it with every mean: how much a mean is worth depends on the number of queries.

    Misleads: Tools count different queries: all judged ones, those in both files, or those of the run.
    Two means over different query sets are not comparable even when NumQ happens to be equal.

    Examples
    --------
    Judged queries: q1, q2, q3; the run has q1, q2 and q9.
    queries=judged (q1, q2, q3): NumQ = 3
    queries=common (q1, q2): NumQ = 2
    queries=run (q1, q2, q9): NumQ = 3

    >>> import rankmeter as rm
    >>> judgments, run = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}, {"q1": ["a"], "q2": ["b"], "q9": ["a"]}
    >>> rm.evaluate(judgments, run, ["NumQ", "NumQ(queries=common)", "NumQ(queries=run)"]).mean
    {'NumQ': 3.0, 'NumQ(queries=common)': 2.0, 'NumQ(queries=run)': 3.0}
    """
    def __call__(self, *, aggregate: Literal["sum"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ...,
            digits: int | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NumQ: _NumQ

class _NumRet(_counts.NumReturned):
    """The number of items returned, over all queries; with a cutoff, at most k per query.

        NumRet = Σ_q (items returned for q)

    How many items the run returned, summed over the evaluated queries.

    Use it to check that runs have the same depth before comparing them.

    Misleads: It says nothing about quality, and equal sums can hide unequal lists: one query with 1000
    items and nine with none give the same sum as ten with 100.

    Examples
    --------
    q1 returns 5 items, q2 returns 3, q3 is not in the run.
    NumRet = 5 + 3 + 0 = 8

    >>> import rankmeter as rm
    >>> judgments = {"q1": {"a"}, "q2": {"a"}, "q3": {"a"}}
    >>> run = {"q1": ["a", "b", "c", "d", "e"], "q2": ["a", "b", "c"]}
    >>> rm.evaluate(judgments, run, "NumRet")["NumRet"]
    8.0
    """
    def __call__(self, *, aggregate: Literal["sum", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ...,
            digits: int | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NumRet: _NumRet

class _NumRel(_counts.NumRelevant):
    """The number of items judged relevant, over all queries.

        NumRel = Σ_q R_q,  R_q = items judged relevant for q

    How many items are judged relevant (grade at or above `rel`), summed over the evaluated queries,
    whether or not they were returned.

    Use it to check that the judgments were read as intended and that `rel` is right.

    Misleads: It depends on `rel` and on which queries are counted, and it counts only what was judged:
    unjudged relevant items are not in it.

    Examples
    --------
    q1 has grades 2, 1, 1, 0; q2 has grades 1, 0, 0.
    rel=1: NumRel = 3 + 1 = 4
    rel=2: NumRel = 1 + 0 = 1

    >>> import rankmeter as rm
    >>> judgments = {"q1": {"a": 2, "b": 1, "c": 1, "d": 0}, "q2": {"a": 1, "b": 0, "c": 0}}
    >>> rm.evaluate(judgments, {"q1": ["a"]}, ["NumRel", "NumRel(rel=2)"]).mean
    {'NumRel': 4.0, 'NumRel(rel=2)': 1.0}
    """
    def __call__(self, *, aggregate: Literal["sum", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NumRel: _NumRel

class _NumRelRet(_counts.NumRelevantReturned):
    """The number of relevant items returned, over all queries; with a cutoff, in the first k places.

        NumRelRet = Σ_q (relevant items returned for q)

    How many relevant items the run returned, anywhere in its lists, summed over the evaluated queries.

    Use it beside NumRel and NumRet to see at a glance what was found and what was missed.

    Misleads: NumRelRet / NumRel is recall pooled over all queries, not the mean of recall: queries with
    many relevant items dominate it.

    Examples
    --------
    q1: grades in ranked order 1, 0, 1, 0, 1; R = 4. q2: 0, 0, 1; R = 1.
    NumRelRet = 3 + 1 = 4; NumRel = 5; NumRet = 8
    Pooled recall 4/5 = 0.8000; mean recall (3/4 + 1/1) / 2 = 0.8750

    >>> import rankmeter as rm
    >>> judgments = {"q1": {"a", "c", "e", "z"}, "q2": {"c"}}
    >>> run = {"q1": ["a", "b", "c", "d", "e"], "q2": ["a", "b", "c"]}
    >>> rm.evaluate(judgments, run, ["NumRelRet", "NumRelRet@2", "R(aggregate=pooled)", "R"]).mean
    {'NumRelRet': 4.0, 'NumRelRet@2': 1.0, 'R(aggregate=pooled)': 0.8, 'R': 0.875}
    """
    def __call__(self, *, aggregate: Literal["sum", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NumRelRet: _NumRelRet

class _P(_hits.Precision):
    """Precision: the share of the first k places that hold relevant items.

        P@k = (relevant items in the first k) / k

    The share of the first k places that hold a relevant item. The order within those k places does not
    matter. A list shorter than k is still divided by k: an empty place is a miss. Without a cutoff the
    divisor is the length of the list.

    Use it when people look at a fixed number of results, such as one page or one row of a shop, and
    every place costs the same attention.

    Misleads: A query with fewer than k relevant items cannot reach 1: with R = 2 the best possible P@10
    is 0.2, so the mean over queries mixes the quality of the ranking with the number of relevant items.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 1 (five items returned); R = 4.
    P@3 = 2 / 3 = 0.6667
    P@10 = 3 / 10 = 0.3000 (divided by 10 although only five items were returned; with norm=list it is 3 / 5 = 0.6000)

    >>> import rankmeter as rm
    >>> rm.value("P@3", grades=[1, 0, 1, 0, 1])
    0.6666...
    >>> rm.value("P@10", grades=[1, 0, 1, 0, 1]), rm.value("P(norm=list)@10", grades=[1, 0, 1, 0, 1])
    (0.3, 0.6)

    References
    ----------
    Kent, Berry, Luehrs & Perry, Machine literature searching VIII: Operational criteria for designing
    information retrieval systems, American Documentation 6(2), 1955
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., norm: Literal["k", "list", "capped"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
P: _P

class _R(_hits.Recall):
    """Recall: the share of the relevant items that stand in the first k places.

        R@k = (relevant items in the first k) / R

    The share of all relevant items that appear among the first k. R is the number of items judged
    relevant, whether or not they were returned.

    Use it for a first stage whose output is reranked, or whenever a missed item cannot be recovered
    later.

    Misleads: When R is larger than k it cannot reach 1: with R = 50 the best possible R@10 is 0.2. It
    also never falls as k grows, so a long list looks good whatever else is in it.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 1; R = 4 (one relevant item was not returned).
    R@3 = 2 / 4 = 0.5000
    R@5 = 3 / 4 = 0.7500
    With norm=capped, R@3 = 2 / min(4, 3) = 0.6667

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, run, ["R@3,5", "R(norm=capped)@3"]).mean
    {'R@3': 0.5, 'R@5': 0.75, 'R(norm=capped)@3': 0.6666...}

    References
    ----------
    Kent, Berry, Luehrs & Perry, Machine literature searching VIII: Operational criteria for designing
    information retrieval systems, American Documentation 6(2), 1955
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., norm: Literal["relevant", "capped"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
R: _R

class _F(_hits.FMeasure):
    """The weighted harmonic mean of precision and recall at k.

        F@k = (1 + β²)·P·R / (β²·P + R),  P = P@k, R = R@k;  0 if P = R = 0

    The weighted harmonic mean of precision and recall over the first k items. With beta = 1 both count
    the same; with beta = 2 recall counts more, with beta = 0.5 precision does. It is low as soon as
    either of the two is low.

    Use it when one number has to stand for both precision and recall and the cutoff is given.

    Misleads: The mean of F over queries is not the F of the mean P and the mean R, and papers report
    both under one name. Its ceiling depends on R and k: with R = 2, F@10 cannot exceed 0.3333.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 1; R = 4; k = 3.
    P@3 = 2/3, R@3 = 2/4
    F@3 = 2 · (2/3) · (1/2) / (2/3 + 1/2) = 0.571429
    F(beta=2)@3 = 5 · (2/3) · (1/2) / (4 · 2/3 + 1/2) = 0.526316

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, run, ["F@3", "F(beta=2)@3"]).mean
    {'F@3': 0.571428..., 'F(beta=2)@3': 0.526315...}

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., beta: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
F: _F

class _Success(_hits.Success):
    """Success, or hit rate: 1 when a relevant item stands in the first k places, else 0.

        Success@k = 1 if any of the first k items is relevant, else 0

    1 if at least one of the first k items is relevant, otherwise 0. The mean over queries is the share
    of queries that were answered at all. Recommender systems call it hit rate (HitRate@k, HR@k).

    Use it when one right item is enough, for example when each user has a single held-out item.

    Misleads: Rank 1 and rank k count the same, and a second hit adds nothing, so a query with many
    relevant items succeeds almost by chance. With one relevant item per query it equals R@k; some
    recommender papers call R@k the hit rate even if there are several. It saturates: at large k good
    and excellent systems look alike.

    Examples
    --------
    Three queries, grades in ranked order:
    q1: 0, 1, 0   q2: 0, 0, 1   q3: 0, 0, 0
    Success@2 = 1, 0, 0; mean 1/3 = 0.3333
    Success@3 = 1, 1, 0; mean 2/3 = 0.6667

    >>> import rankmeter as rm
    >>> lists = ([0, 1, 0], [0, 0, 1], [0, 0, 0])
    >>> [rm.value("Success@2", grades=grades) for grades in lists]
    [1.0, 0.0, 0.0]
    >>> [rm.value("HitRate@3", grades=grades) for grades in lists]
    [1.0, 1.0, 0.0]
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ...,
            unjudged: Literal["nonrelevant", "removed", "nan", "undecided"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Success: _Success

class _Rprec(_hits.RPrecision):
    """R-precision: precision after R places, R being the number of relevant items.

        Rprec = P@R = (relevant items in the first R) / R

    Precision at rank R, where R is the number of relevant items of the query. At that rank precision
    and recall are equal, and a perfect ranking reaches 1 for every query.

    Use it when the number of relevant items varies widely between queries and a fixed cutoff would be
    unfair to some of them.

    Misleads: The cutoff differs from query to query and the user never knows it; with R = 1 only rank 1
    matters. Everything below rank R is ignored: R relevant items at ranks R+1 to 2R score 0.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 1; R = 4 (one relevant item was not returned).
    The first four grades are 1, 0, 1, 0.
    Rprec = 2 / 4 = 0.5000

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, run, "Rprec")["Rprec"]
    0.5

    References
    ----------
    Buckley & Voorhees, Retrieval System Evaluation, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press, 2005
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., norm: Literal["places", "relevant"] = ...,
            mult: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Rprec: _Rprec

class _IPrec(_hits.InterpolatedPrecision):
    """Interpolated precision: the best precision at any depth that reaches a given recall.

        IPrec@x = max { P@i : recall at rank i ≥ x };  0 if recall x is never reached

    The best precision at any rank where recall is at least x. The values at x = 0, 0.1, ..., 1 are the
    points of the classical recall-precision curve. `@` states x; a depth is stated with cutoff=.

    Use it to draw a precision-recall curve over queries with different numbers of relevant items.

    Misleads: The maximum is taken over all later ranks, so a single early hit can make IPrec@0 equal to
    1, and it never rises with x even if the actual precision does. For small R one item moves recall by
    1/R, and tools round x·R differently (trec_eval 9 against 10; see `rounding`).

    Examples
    --------
    Grades in ranked order: 0, 1, 1, 0, 1; R = 4.
    Precision: 0, 1/2, 2/3, 2/4, 3/5; recall: 0, 1/4, 2/4, 2/4, 3/4
    IPrec@0.25 = max(1/2, 2/3, 2/4, 3/5) = 0.6667 (the precision at rank 2 itself is only 0.5)
    IPrec@0.6 = 3/5 = 0.6000
    IPrec@1.0 = 0.0000 (the fourth relevant item was never returned)

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"b", "c", "e", "z"}}, run, "IPrec@0.25,0.6,1").mean
    {'IPrec@0.25': 0.6666..., 'IPrec@0.6': 0.6, 'IPrec@1': 0.0}

    References
    ----------
    Manning, Raghavan & Schütze, Introduction to Information Retrieval, section 8.4, Cambridge
    University Press, 2008
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., recall: float = ...,
            rounding: Literal["ceil", "trec9", "nearest"] = ...) -> Self: ...
    def __matmul__(self, value: float) -> Self: ...
IPrec: _IPrec

class _SetP(_hits.SetPrecision):
    """Precision of the returned list as a set: the share of it that is relevant.

        SetP = (relevant items returned) / (items returned)

    The share of everything returned that is relevant. The list is treated as a set: its order plays no
    part.

    Use it for systems that decide how much to return, such as Boolean search, filters and classifiers.

    Misleads: On runs padded to a fixed length it measures the padding: with 1000 items returned and R =
    10 it cannot exceed 0.01. Returning one safe item scores 1 and hides everything that was missed.

    Examples
    --------
    Grades of the returned items: 1, 0, 1, 0, 1; R = 4.
    SetP = 3 / 5 = 0.6000

    >>> import rankmeter as rm
    >>> rm.value("SetP", grades=[1, 0, 1, 0, 1])
    0.6

    References
    ----------
    Kent, Berry, Luehrs & Perry, Machine literature searching VIII: Operational criteria for designing
    information retrieval systems, American Documentation 6(2), 1955
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best", "included"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., norm: Literal["list", "capped"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SetP: _SetP

class _SetR(_hits.SetRecall):
    """Recall of the returned list as a set: the share of the relevant items that it holds.

        SetR = (relevant items returned) / R

    The share of all relevant items that were returned at all, anywhere in the list.

    Use it to see what a first stage passes on, or when a missed item is costly (patents, law,
    medicine).

    Misleads: Returning the whole collection scores 1. Two runs of different length cannot be compared
    by it: the longer one wins.

    Examples
    --------
    Grades of the returned items: 1, 0, 1, 0, 1; R = 4 (one relevant item was not returned).
    SetR = 3 / 4 = 0.7500

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, run, "SetR")["SetR"]
    0.75

    References
    ----------
    Kent, Berry, Luehrs & Perry, Machine literature searching VIII: Operational criteria for designing
    information retrieval systems, American Documentation 6(2), 1955
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best", "included"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SetR: _SetR

class _SetF(_hits.SetF):
    """The weighted harmonic mean of set precision and set recall.

        SetF = (1 + β²)·P·R / (β²·P + R),  P = SetP, R = SetR;  0 if P = R = 0

    The weighted harmonic mean of set precision and set recall, over everything returned. With beta
    above 1 recall counts more, below 1 precision does.

    Use it for systems that decide how much to return, when both junk and misses count.

    Misleads: It mostly reflects the length of the list if that is fixed by convention (1000 items) and
    not chosen by the system. And trec_eval's set_F does not square its parameter: its set_F.2 is not
    SetF(beta=2) but SetF with beta = sqrt(2). It ignores the order.

    Examples
    --------
    Grades of the returned items: 1, 0, 1, 0, 1; R = 4.
    SetP = 3/5, SetR = 3/4
    SetF = 2 · 0.6 · 0.75 / (0.6 + 0.75) = 0.666667
    SetF(beta=2) = 5 · 0.6 · 0.75 / (4 · 0.6 + 0.75) = 0.714286
    If any relevant item is enough (recall=any): 2 · 0.6 · 1 / (0.6 + 1) = 0.75

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, run, ["SetF", "SetF(beta=2)", "SetF(recall=any)"]).mean
    {'SetF': 0.666666..., 'SetF(beta=2)': 0.714285..., 'SetF(recall=any)': 0.75}

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best", "included"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., beta: float = ..., weight: Literal["squared", "plain"] = ...,
            recall: Literal["share", "any"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SetF: _SetF

class _AllRelevant(_hits.AllRelevant):
    """AllRelevant: 1 when every relevant item stands in the first k places, else 0.

        AllRelevant@k = 1 if R@k = 1, else 0

    Whether every relevant item stands in the first k places.

    Use it for retrieval-augmented generation and multi-hop questions, where an answer needs all its
    evidence.

    Misleads: Missing one item out of ten costs as much as missing all ten.

    Examples
    --------
    Grades 0, 1, 1 with R = 2: at k = 3 it is 1, at k = 2 it is 0.

    >>> import rankmeter as rm
    >>> rm.value("AllRelevant@3", grades=[0, 1, 1]), rm.value("AllRelevant@2", grades=[0, 1, 1])
    (1.0, 0.0)

    References
    ----------
    Yang et al., HotpotQA: a dataset for diverse, explainable multi-hop question answering, EMNLP 2018
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
AllRelevant: _AllRelevant

class _Compat(_hits.Compatibility):
    """Compat: rank-biased overlap of the list with the ideal list that agrees with it most.

        Compat = Σ_{i<=n} p^(i-1) |L_1..i ∩ I_1..i| / i / Σ_{i<=n} p^(i-1) min(i,R) / i

    Rank-biased overlap of the list with the ideal list that agrees with it most; items of equal grade
    stand in the ideal list in the order of the list. The ideal list I contains the relevant items by
    grade, those that were not returned last within their grade; n is the length of the longer list.

    Use it when judgments are preferences or have many grades, and a distance between orders is wanted.

    Misleads: Values for different p are not comparable; with p = 0.95 the first twenty ranks have only
    two thirds of the weight.

    Examples
    --------
    Grades 1, 0, 1 with p = 0.5: overlaps 1, 1/2, 2/3 against 1, 1, 2/3 of the ideal: 0.85.

    >>> import rankmeter as rm
    >>> round(rm.value("Compat(p=0.5)", grades=[1, 0, 1]), 6)
    0.85

    References
    ----------
    Clarke, Vtyurina & Smucker, Assessing top-k preferences, TOIS 39(3), 2021
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., p: float = ..., norm: Literal["ideal", "none"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Compat: _Compat

class _RR(_order.ReciprocalRank):
    """Reciprocal rank: 1 over the rank of the first relevant item; its mean over queries is MRR.

        RR = 1 / (rank of the first relevant item);  0 if none within k

    One divided by the rank of the first relevant item, 0 if none stands within the first k. The mean
    over queries is MRR. Everything after the first relevant item is ignored.

    Use it when one right answer is enough and people stop there: question answering, known-item search,
    completion.

    Misleads: The step from rank 1 to rank 2 costs 0.5, the step from rank 10 to rank 100 only 0.09, so
    a few places at the top decide the mean. MRR also depends on what is left out: averaging only over
    queries with a hit (miss=skip) gives a higher number under the same name. Ranks 1 and 2 differ as
    much as rank 2 and not found at all.

    Examples
    --------
    Grades in ranked order: 0, 0, 1, 0, 1. The first relevant item is at rank 3.
    RR = 1 / 3 = 0.3333
    RR@2 = 0.0000 (nothing relevant in the first two)
    Over three queries with first hits at ranks 2, 1 and 5: MRR@5 = (1/2 + 1 + 1/5) / 3 = 0.566667
    Grades 0, 0, 0, 1, 2: with hits=found (1/4 + 1/5) / 2 = 0.225; with hits=best 1/5 = 0.2

    >>> import rankmeter as rm
    >>> rm.value("RR", grades=[0, 0, 1, 0, 1]), rm.value("RR@2", grades=[0, 0, 1, 0, 1])
    (0.3333..., 0.0)
    >>> rm.value("RR(hits=found)", grades=[0, 0, 0, 1, 2]), rm.value("RR(hits=best)", grades=[0, 0, 0, 1, 2])
    (0.225, 0.2)

    References
    ----------
    Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ...,
            unjudged: Literal["nonrelevant", "removed", "nan", "undecided"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., hits: Literal["first", "best", "found", "relevant"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
RR: _RR

class _AP(_order.AveragePrecision):
    """Average precision: the mean of the precisions at the ranks of the relevant items; its mean is MAP.

        AP@k = (1/R) Σ_{i≤k, item i relevant} P@i

    The precision at the rank of each relevant item found, summed and divided by the number R of all
    items judged relevant; a relevant item that is not found adds 0. It rewards finding all relevant
    items and placing them early. The mean over queries is MAP.

    Use it with binary judgments that are reasonably complete, when all relevant items matter and early
    ones matter more.

    Misleads: The divisor differs between tools: R, min(R, k), or the hits in the list, and the last one
    gives 1.0 to a list that finds a single relevant item of fifty at rank 1. Unjudged relevant items
    lower the value of whichever new system finds them. Divided by R, AP@k cannot reach 1 when R is
    larger than k.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 1.
    Precision at the relevant ranks: P@1 = 1, P@3 = 2/3, P@5 = 3/5; sum 2.266667
    R = 3: AP = 2.266667 / 3 = 0.755556
    R = 4 (one more relevant item, not returned): AP = 2.266667 / 4 = 0.566667
    R = 4, cut at 3: AP@3 = (1 + 2/3) / 4 = 0.416667; with norm=capped (1 + 2/3) / 3 = 0.555556

    >>> import rankmeter as rm
    >>> rm.value("AP", grades=[1, 0, 1, 0, 1])
    0.755555...
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a", "c", "e", "z"}}, run, ["AP", "AP@3", "AP(norm=capped)@3"]).mean
    {'AP': 0.566666..., 'AP@3': 0.416666..., 'AP(norm=capped)@3': 0.555555...}

    References
    ----------
    Buckley & Voorhees, Evaluating evaluation measure stability, SIGIR 2000
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., norm: Literal["relevant", "capped", "list", "found", "hits", "k"] = ...,
            ranks: Literal["relevant", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
AP: _AP

class _AUC(_order.AreaUnderCurve):
    """Area under the ROC curve: the chance that a relevant item of the list stands above a non-relevant one.

        AUC = (pairs with the relevant item above the non-relevant one + ½ · tied pairs) / (H · N),  H,
        N = relevant and non-relevant items in the list;  1 if N = 0

    The chance that a relevant item of the list, drawn at random, stands above a non-relevant one, drawn
    at random; a tie in the score counts one half. 0.5 is a random order. Only the returned list counts,
    and unjudged items in it are non-relevant. With a cutoff a tie rule must be stated.

    Use it when the whole order matters, every item has a score and there is no cutoff, as for rankings
    of a full catalogue.

    Misleads: All places count the same, so in a long list the top hardly counts: a single relevant item
    at rank 1,000 of 100,000 still gives 0.99. Relevant items that were not returned cost nothing, so on
    lists cut to the best items the value depends on where they were cut.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 0, all scores different; H = 2, N = 3.
    The item at rank 1 beats 3 non-relevant ones, the item at rank 3 beats 2.
    AUC = (3 + 2) / (2 · 3) = 0.833333
    If ranks 2 and 3 have the same score: (3 + 2.5) / 6 = 0.916667
    A third relevant item that was judged but not returned changes nothing; with candidates=appended it stands at rank 6: (3 + 2 + 0) / (3 · 3) = 0.555556

    >>> import rankmeter as rm
    >>> judgments, scores = {"q": {"a": 1, "c": 1}}, {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}
    >>> rm.evaluate(judgments, {"q": scores}, "AUC")["AUC"]
    0.833333...
    >>> rm.evaluate(judgments, {"q": scores | {"c": 4.0}}, "AUC")["AUC"]
    0.916666...
    >>> rm.evaluate({"q": {"a": 1, "c": 1, "z": 1}}, {"q": scores}, ["AUC", "AUC(candidates=appended)"]).mean
    {'AUC': 0.833333..., 'AUC(candidates=appended)': 0.555555...}

    References
    ----------
    Hanley & McNeil, The meaning and use of the area under a receiver operating characteristic (ROC)
    curve, Radiology 143(1), 1982
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["mean", "item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
AUC: _AUC

class _MeanRank(_order.MeanRank):
    """Mean rank of the relevant items that were found; lower is better.

        MeanRank = (1/H) Σ_{relevant, returned} rank,  H = relevant items returned

    The average rank of the relevant items that were found. Lower is better; the best is 1 for a single
    relevant item, (R+1)/2 for R of them. A query in which nothing was found has no rank and is left out
    of the mean. Counting it 0 would be a reward; candidates=appended puts what was not returned at the
    end of the list instead.

    Use it on rankings of a full catalogue, where every relevant item has a rank, as in link prediction.

    Misleads: Items that were not found are left out, so a system that drops its hard items looks
    better. One item far down dominates the mean: 99 queries with rank 1 and one with rank 10,000 have a
    mean of 100.99, so look at the median too.

    Examples
    --------
    Grades in ranked order: 0, 1, 0, 0, 1; R = 3 (one relevant item was not returned and does not count).
    MeanRank = (2 + 5) / 2 = 3.5000
    With weight=grade and grades 0, 3, 0, 1: (3 · 2 + 1 · 4) / (3 + 1) = 2.5

    >>> import rankmeter as rm
    >>> rm.value("MeanRank", grades=[0, 1, 0, 0, 1]), rm.value("MeanRank(weight=grade)", grades=[0, 3, 0, 1])
    (3.5, 2.5)
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["skip", "zero", "one", "nan", "silent"] = ..., miss: Literal["skip", "zero"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., weight: Literal["one", "grade"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
MeanRank: _MeanRank

class _PairAccuracy(_order.OrderedPairs):
    """Ordered pairs: the share of the pairs of unequal grade that stand in the right order.

        PairAccuracy = (pairs of unequal grade with the better item above + ½ · tied pairs) / (pairs of
        unequal grade)

    Of all pairs of returned items whose grades differ, the share in which the better item stands above
    the other; a tie in the score counts one half. 0.5 is a random order. Unjudged items have grade 0.
    So have grades below 0.

    Use it when the whole order of a full candidate set matters, as in learning to rank; for two grades
    it is AUC.

    Misleads: All pairs count the same, so the top of a long list hardly matters, and items that were
    not returned cost nothing. A list in which all grades are equal has no pair and counts 0;
    aggregate=pooled gives it no weight.

    Examples
    --------
    Grades in ranked order: 1, 2, 0. Three pairs of unequal grade; (1, 0) and (2, 0) are in order, (1, 2) is not.
    PairAccuracy = 2 / 3 = 0.666667

    >>> import rankmeter as rm
    >>> rm.value("PairAccuracy", grades=[1, 2, 0])
    0.666666...

    References
    ----------
    Pasumarthi et al., TF-Ranking: Scalable TensorFlow Library for Learning-to-Rank, KDD 2019
    (OPAMetric)
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["mean", "item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ...,
            digits: int | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PairAccuracy: _PairAccuracy

class _GAUC(_order.GroupedAreaUnderCurve):
    """Grouped AUC: the AUC of each list, weighted by how many relevant items it holds.

        GAUC = Σ_u H_u AUC_u / Σ_u H_u

    The AUC of each user's list, averaged with the number of its relevant items as a weight. H_u is how
    many relevant items list u holds. A list without a relevant item, or without any other, has no pair
    and weighs nothing. The weights are relevant items; the paper weights by impressions.

    Use it for click-through models, whose scores are compared within a user and not between users.

    Misleads: Users with many relevant items decide it. As AUC, it hardly sees the top of the list.

    Examples
    --------
    User u: list a b c with a and c relevant; AUC = 1/2, weight 2. User v: list a b with b relevant; AUC = 0, weight 1.
    GAUC = (2 · 1/2 + 1 · 0) / (2 + 1) = 0.333333

    >>> import rankmeter as rm
    >>> judgments = {"u": {"a": 1, "c": 1}, "v": {"b": 1}}
    >>> run = {"u": {"a": 3.0, "b": 2.0, "c": 1.0}, "v": {"a": 2.0, "b": 1.0}}
    >>> rm.evaluate(judgments, run, ["GAUC", "AUC"]).mean
    {'GAUC': 0.333333..., 'AUC': 0.25}

    References
    ----------
    Zhou, Zhu, Song & others, Deep interest network for click-through rate prediction, KDD 2018
    (10.1145/3219819.3219823)
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["mean", "item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
GAUC: _GAUC

class _PartialAUC(_order.PartialAreaUnderCurve):
    """Partial AUC: the AUC of the relevant items against the k non-relevant ones that stand highest.

        PartialAUC@k = (1 / (R k)) Σ_{i} max(k - n_i, 0)

    The chance that a relevant item, drawn at random, stands above one of the k non-relevant items that
    stand highest; n_i is how many of these stand above item i. k counts non-relevant items, not places.
    A relevant item that was not returned stands below them all. With norm=capped only the min(R, k)
    relevant items that stand highest are compared: pAp@k, which is like precision for users with many
    relevant items and like partial AUC for those with few.

    Use it when only the top of a long list matters but its order should count, and users differ much in
    how many relevant items they have.

    Misleads: A list with fewer than k non-relevant items is too short to tell: what was not returned
    counts as lost. Ask for R + k items.

    Examples
    --------
    Ranked a b c d e f; relevant: a, c, f. The first 2 non-relevant items are b and d.
    a stands above both, c above d alone, f above none: (2 + 1 + 0) / (3 · 2) = 0.5
    With norm=capped the first 2 relevant items count: (2 + 1) / (2 · 2) = 0.75

    >>> import rankmeter as rm
    >>> judgments = {"q": {"a": 1, "c": 1, "f": 1}}
    >>> asked = ["PartialAUC@2", "PartialAUC(norm=capped)@2"]
    >>> rm.evaluate(judgments, {"q": ["a", "b", "c", "d", "e", "f"]}, asked).mean
    {'PartialAUC@2': 0.5, 'PartialAUC(norm=capped)@2': 0.75}

    References
    ----------
    Budhiraja, Hiranandani, Yarrabelly, Choure, Koyejo & Jain, Rich-item recommendations for rich-users:
    exploiting dynamic and static side information, arXiv:2001.10495, 2020; Hiranandani, Vijitbenjaronk,
    Koyejo & Jain, Optimization and analysis of the pAp@k metric for recommender systems, ICML 2020
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., norm: Literal["relevant", "capped"] = ...,
            negatives: int | None = ...) -> Self: ...
    def __matmul__(self, value: float) -> Self: ...
PartialAUC: _PartialAUC

class _CG(_gains.CumulatedGain):
    """Cumulated gain: the sum of the gains in the first k places.

        CG@k = Σ_{i≤k} g(r_i)

    The sum of the gains of the first k items. The order within the first k does not matter.

    Use it when a fixed set of k items is shown at once and their total value is what counts.

    Misleads: Swapping rank 1 with rank k changes nothing, and there is no upper bound, so queries with
    many high grades dominate the mean.

    Examples
    --------
    Grades in ranked order: 3, 2, 3, 0, 1.
    CG@3 = 3 + 2 + 3 = 8.0000
    CG@5 = 3 + 2 + 3 + 0 + 1 = 9.0000
    With norm=judged, CG@3 = 8 / 9 = 0.8889

    >>> import rankmeter as rm
    >>> rm.value("CG@3", grades=[3, 2, 3, 0, 1]), rm.value("CG@5", grades=[3, 2, 3, 0, 1])
    (8.0, 9.0)
    >>> rm.value("CG(norm=judged)@3", grades=[3, 2, 3, 0, 1])
    0.8888...

    References
    ----------
    Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] | float = ...,
            negative: Literal["unjudged", "nonrelevant", "counted"] = ...,
            candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            norm: Literal["none", "judged"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CG: _CG

class _DCG(_gains.DiscountedGain):
    """Discounted cumulative gain: gains divided by a discount that grows with the rank.

        DCG@k = Σ_{i≤k} g(r_i) / log2(i+1)

    The gains of the first k items, each divided by a discount that grows with the rank, added up. It
    shows how much value the list delivers at the top, on the scale of the gains.

    Use it when the absolute amount of value matters and all systems answer the same queries, or to look
    inside nDCG.

    Misleads: It has no upper bound and depends on the scale of the grades, so values of different
    queries or collections cannot be compared, and queries with many high grades dominate the mean. Note
    also that the 2002 paper does not discount rank 2 (discount=jk).

    Examples
    --------
    Grades in ranked order: 3, 2, 3, 0, 1.
    DCG@5 = 3·1 + 2·0.6309298 + 3·0.5 + 0·0.4306766 + 1·0.3868528
          = 3 + 1.261860 + 1.5 + 0 + 0.386853 = 6.148712
    With gain=exp2 (7, 3, 7, 0, 1): 7 + 1.892789 + 3.5 + 0 + 0.386853 = 12.779642
    With discount=jk: 3·1 + 2·1 + 3·0.6309298 + 0 + 1·0.4306766 = 7.323466

    >>> import rankmeter as rm
    >>> rm.value("DCG@5", grades=[3, 2, 3, 0, 1])
    6.148712...
    >>> rm.value("DCG(gain=exp2)@5", grades=[3, 2, 3, 0, 1]), rm.value("DCG(discount=jk)@5", grades=[3, 2, 3, 0, 1])
    (12.779642..., 7.323465...)

    References
    ----------
    Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] | float = ...,
            negative: Literal["unjudged", "nonrelevant", "counted"] = ...,
            candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            discount: Literal["log2", "jk", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
DCG: _DCG

class _nDCG(_gains.NDCG):
    """Normalised discounted cumulative gain: how close the order is to the best order of the judged items.

        nDCG@k = DCG@k / IDCG@k,  DCG@k = Σ_{i≤k} g(r_i) / log2(i+1),  IDCG@k = DCG@k of all judged
        items, best first

    How close the order is to the best possible one: the discounted gain of the first k items divided by
    that of the k best judged items in ideal order. 1 means that no order of the judged items has a
    better first k.

    Use it when relevance has grades and several results count, the early ones more: web search,
    recommendation, reranking.

    Misleads: One name covers many numbers: gain g or 2^g - 1, discount log2(i+1) or the original
    log2(i), ideal over all judged items or only over the returned ones, and with the latter
    (ideal=list) a system that misses every top item can still score 1. With few relevant items the
    value jumps: for a single one it is 1, 0.6309, 0.5 at ranks 1, 2, 3. So queries with few relevant
    items are not comparable with others.

    Examples
    --------
    Grades in ranked order: 3, 2, 3, 0, 1; no other item is judged relevant.
    DCG@5 = 3·1 + 2·0.6309298 + 3·0.5 + 0 + 1·0.3868528 = 6.148712
    IDCG@5 (order 3, 3, 2, 1, 0) = 3·1 + 3·0.6309298 + 2·0.5 + 1·0.4306766 + 0 = 6.323466
    nDCG@5 = 6.148712 / 6.323466 = 0.972364
    If one more item of grade 3 is judged but not returned: IDCG@5 (3, 3, 3, 2, 1) = 7.640995, nDCG@5 = 0.804700
    With gain=exp2 (gains 7, 3, 7, 0, 1): 12.779642 / 13.347185 = 0.957478

    >>> import rankmeter as rm
    >>> rm.value("nDCG@5", grades=[3, 2, 3, 0, 1])
    0.972364...
    >>> judgments = {"q": {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "z": 3}}
    >>> rm.evaluate(judgments, {"q": ["a", "b", "c", "d", "e"]}, "nDCG@5")["nDCG@5"]
    0.80470...
    >>> rm.value("nDCG(gain=exp2)@5", grades=[3, 2, 3, 0, 1])
    0.957478...

    References
    ----------
    Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] | float = ...,
            negative: Literal["unjudged", "nonrelevant", "counted", "guarded"] = ...,
            candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            discount: Literal["log2", "jk", "reciprocal"] = ...,
            ideal: Literal["judged", "list", "top", "uncut", "full", "length", "full-list"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
nDCG: _nDCG

class _RBP(_gains.RankBiasedPrecision):
    """Rank-biased precision: what a reader gains who goes on to the next place with probability p.

        RBP = (1-p) Σ_i g_i · p^(i-1),  g_i = 1 if relevant else 0  (graded: g_i = (2^grade - 1) /
        2^max_grade)

    A reader always looks at rank 1 and after each item goes on to the next with probability p; RBP is
    the average gain per item that this reader sees. With p = 0.8 the reader looks at 1/(1-p) = 5 items
    on average. It needs no R.

    Use it when a model of patience is known or wanted, and when judgments are incomplete: what the
    unjudged items could add is known exactly.

    Misleads: Values for different p are not comparable, and few queries can reach 1: a query with a
    single relevant item at rank 1 scores 1-p = 0.2. A low value may mean few relevant items or few
    judgments; the part below the list alone leaves p^n open. With p = 0.8 the first five places have
    two thirds of the weight.

    Examples
    --------
    Grades in ranked order: 1, 0, 1, 0, 1; p = 0.8.
    RBP = 0.2 · (0.8^0 + 0.8^2 + 0.8^4) = 0.2 · (1 + 0.64 + 0.4096) = 0.409920
    Left open by the items after rank 5: 0.8^5 = 0.327680, so the true value lies between 0.409920 and 0.737600.
    With p = 0.5: 0.5 · (1 + 0.25 + 0.0625) = 0.656250
    Grades 4, 0, 2 with gain=linear, max_grade=4, norm=places, p = 0.6, cut at 3: 0.4 · (1 + 0.5 · 0.36) / (1 - 0.6^3) = 0.602041

    >>> import rankmeter as rm
    >>> round(rm.value("RBP", grades=[1, 0, 1, 0, 1]), 6), rm.value("RBP(p=0.5)", grades=[1, 0, 1, 0, 1])
    (0.40992, 0.65625)
    >>> rm.value("RBP(gain=linear,max_grade=4,norm=places,p=0.6)@3", grades=[4, 0, 2])
    0.602040...

    References
    ----------
    Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            p: float = ..., rel: float = ..., gain: Literal["binary", "exp2", "linear"] = ...,
            max_grade: int | None = ..., norm: Literal["none", "capped", "list", "places"] = ...,
            scale: Literal["one", "percent"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
RBP: _RBP

class _ERR(_gains.ExpectedReciprocalRank):
    """Expected reciprocal rank: 1 over the rank at which a reader, going down the list, is satisfied.

        ERR@k = Σ_{i≤k} (1/i) · R_i · Π_{j<i} (1 - R_j),  R_i = (2^grade_i - 1) / 2^max_grade

    A reader goes down the list until satisfied; ERR is the expected value of 1/rank at that point. An
    item of grade g satisfies with probability (2^g - 1) / 2^max_grade. A good item makes everything
    below it count less.

    Use it with graded judgments when one very good result is enough: navigational search, first
    answers.

    Misleads: max_grade changes every value, so it must be stated: the list of the example gives
    0.921468 with 3 and 0.560098 with 4. Even a perfect list stays below 1, and after one item of top
    grade the rest of the list hardly matters.

    Examples
    --------
    Grades in ranked order: 3, 2, 3, 0, 1; max_grade = 3 (the default is 4).
    R_i = 7/8, 3/8, 7/8, 0, 1/8; the reader reaches ranks 1 to 5 with probability 1, 1/8, 5/64, 5/512, 5/512
    ERR@5 = 0.875 + (1/2)(3/8)(1/8) + (1/3)(7/8)(5/64) + 0 + (1/5)(1/8)(5/512)
          = 0.875 + 0.023438 + 0.022786 + 0 + 0.000244 = 0.921468
    With max_grade = 4: R_i = 7/16, 3/16, 7/16, 0, 1/16; ERR@5 = 0.560098

    >>> import rankmeter as rm
    >>> rm.value("ERR(max_grade=3)@5", grades=[3, 2, 3, 0, 1]), rm.value("ERR@5", grades=[3, 2, 3, 0, 1])
    (0.921468..., 0.560098...)

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] | float = ...,
            negative: Literal["unjudged", "nonrelevant", "counted"] = ...,
            candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ERR: _ERR

class _MaxGrade(_gains.HighestGrade):
    """Highest grade: that of the best item in the first k places.

        MaxGrade@k = max_{i≤k} r_i;  0 if nothing above 0 stands within k

    The grade of the best item in the first k places; 0 if none of them is judged above 0.

    Use it when people look at a few results and take the best one: it is the quality of what they can
    get.

    Misleads: One good item is enough, however many poor ones surround it, and values on different
    grading scales are not comparable.

    Examples
    --------
    Grades in ranked order: 1, 0, 3, 4.
    MaxGrade@3 = 3.0000
    MaxGrade@4 = 4.0000

    >>> import rankmeter as rm
    >>> rm.value("MaxGrade@3", grades=[1, 0, 3, 4]), rm.value("MaxGrade@4", grades=[1, 0, 3, 4])
    (3.0, 4.0)

    References
    ----------
    rankmeter; top1_relevance and top3_max_relevance of Azure AI Evaluation are this measure
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ...,
            digits: int | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
MaxGrade: _MaxGrade

class _Bpref(_incomplete.BinaryPreference):
    """Binary preference: how rarely an item judged not relevant stands above a relevant one.

        Bpref = (1/R) Σ_{r relevant, returned} (1 - min(n_r, R) / min(N, R)),  n_r = judged non-relevant
        items above r, N = all judged non-relevant items;  the term is 1 if n_r = 0

    How often relevant items stand above items judged non-relevant. Unjudged items are skipped as if
    they were not in the list. A relevant item that was not returned adds 0.

    Use it when the judgments are clearly incomplete and unjudged items should not be taken for non-
    relevant ones.

    Misleads: Without judged non-relevant items every relevant item that is returned gets its full term,
    so bpref is then plain recall, whatever the order. A run full of unjudged junk is not penalised
    either: look at Judged@k too. With few such items it is coarse, and values from different pools are
    not comparable.

    Examples
    --------
    Grades in ranked order: 1, 0, -, 1, 0, 1 (- means unjudged); R = 4, N = 3 (one relevant and one non-relevant item were not returned).
    Judged non-relevant items above the relevant ones: 0, 1, 2; min(N, R) = 3
    Terms: 1, 1 - 1/3, 1 - 2/3
    Bpref = (1 + 0.6667 + 0.3333) / 4 = 0.5000

    >>> import rankmeter as rm
    >>> judgments = {"q": {"a": 1, "b": 0, "d": 1, "e": 0, "f": 1, "y": 0, "z": 1}}
    >>> rm.evaluate(judgments, {"q": ["a", "b", "c", "d", "e", "f"]}, "Bpref")["Bpref"]
    0.5

    References
    ----------
    Buckley & Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Bpref: _Bpref

class _infAP(_incomplete.InferredAP):
    """Inferred average precision: AP estimated from a random sample of judgments.

        infAP = (1/R) Σ_{relevant at rank i} [ 1/i + ((i-1)/i) · (pool_i / (i-1)) · (rel_i + ε) / (rel_i
        + nonrel_i + 2ε) ],  ε = 1e-5;  the term is 1 at i = 1;  pool_i, rel_i, nonrel_i = pooled,
        judged relevant, judged non-relevant items above rank i

    An estimate of AP when only a random sample of the pool was judged. The precision above each
    relevant item is estimated from the judged items above it; items that were pooled but not judged
    (grade below 0) are assumed to be like the judged ones, items outside the pool to be non-relevant.

    Use it when the pool was sampled at random for judging and the judgments mark pooled but unjudged
    items with a negative grade.

    Misleads: It is an estimate only if the judged items are a random sample of the pool; on ordinary
    judgments, which have no negative grades, it differs from AP only by a trace due to ε. With few
    judged relevant items the value of one query is very noisy: trust the mean over many queries.

    Examples
    --------
    In ranked order: 1, 0, u, 1, -, 1 (u: pooled, not judged, grade -1; -: not in the pool); R = 3.
    Rank 1: 1
    Rank 4: above it 1 relevant, 1 non-relevant, 3 pooled: 1/4 + (3/4) · (3/3) · (1/2) = 0.625000
    Rank 6: above it 2 relevant, 1 non-relevant, 4 pooled: 1/6 + (5/6) · (4/5) · (2/3) = 0.611111 (0.611110 with ε)
    infAP = (1 + 0.625000 + 0.611110) / 3 = 0.745370

    >>> import rankmeter as rm
    >>> judgments = {"q": {"a": 1, "b": 0, "c": -1, "d": 1, "f": 1}}
    >>> rm.evaluate(judgments, {"q": ["a", "b", "c", "d", "e", "f"]}, "infAP")["infAP"]
    0.74537...

    References
    ----------
    Yilmaz & Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
infAP: _infAP

class _Judged(_incomplete.Judged):
    """Judged: the share of the first k items that are judged; how far the other numbers can be trusted.

        Judged@k = (judged items in the first k) / min(k, n),  n = items returned

    The share of the first k items that have a judgment; a grade below 0 means pooled but not judged
    (negative=unjudged). It does not measure quality, but how far the other measures can be trusted for
    this run. A query without a relevant item counts like any other (empty= has no effect here); an
    empty list has 0.

    Use it beside any other measure when a new system is evaluated with old judgments.

    Misleads: A high value does not mean a good run. But a difference between two runs is a warning: a
    run with Judged@10 = 0.6 has four unknown items in ten, which all count as non-relevant by default.
    It is a mean of shares, one per query; judged@k in the table of `rankmeter compare` is one share
    over all items together, so the two differ if lists are shorter than k.

    Examples
    --------
    Grades in ranked order: 1, -, 0, -, 2 (- means unjudged).
    Judged@2 = 1 / 2 = 0.5000
    Judged@5 = 3 / 5 = 0.6000
    Judged@10 = 3 / min(10, 5) = 0.6000 (only five items were returned)

    >>> import rankmeter as rm
    >>> run = {"q": ["a", "b", "c", "d", "e"]}
    >>> rm.evaluate({"q": {"a": 1, "c": 0, "e": 2}}, run, "Judged@2,5,10").mean
    {'Judged@2': 0.5, 'Judged@5': 0.6, 'Judged@10': 0.6}
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ...,
            digits: int | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Judged: _Judged

class _INST(_users.Inst):
    """INST: a user who wants T useful items and is the more patient the more of them are still missing.

        C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2,  T_i = T - Σ_{j<=i} g_j;  g_i = (grade -
        min_grade) / (max_grade - min_grade)

    The gain per item seen by a user who wants T useful items: the more of them are missing, the more
    likely the user is to go on, and what was found makes them stop earlier.

    Use it when tasks differ in how many answers they need and T is known for each kind.

    Misleads: Values for different T or max_grade are not comparable. The weights are normalised over
    the first 1000 ranks (horizon).

    Examples
    --------
    Grades 1, 0 with T = 1: C(1) = (1 / 2)^2 = 1/4, so rank 2 is seen a quarter as often as rank 1.
    Grades 1, 0, 1: INST = 0.723289

    >>> import rankmeter as rm
    >>> round(rm.value("INST", grades=[1, 0, 1]), 6)
    0.723289

    References
    ----------
    Moffat, Bailey, Scholer & Thomas, INST: an adaptive metric for information retrieval evaluation,
    ADCS 2015
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ..., T: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
INST: _INST

class _INSQ(_users.Insq):
    """INSQ: a user who wants T useful items and grows more patient with every rank, whatever is found.

        C(i) = ((i + 2T - 1) / (i + 2T))^2;  g_i = (grade - min_grade) / (max_grade - min_grade)

    The gain per item seen by a user who wants T useful items and grows more patient with every rank,
    whatever is found.

    Use it as the static counterpart of INST, when weights should not depend on the content of the list.

    Misleads: Values for different T or max_grade are not comparable. The weights are normalised over
    the first 1000 ranks (horizon).

    Examples
    --------
    With T = 1: C(1) = (2 / 3)^2 = 4/9 and C(2) = (3 / 4)^2 = 9/16: patience grows down the list.
    Grades 1, 0, 1: INSQ = 0.485297

    >>> import rankmeter as rm
    >>> rm.value("INSQ", grades=[1, 0, 1])
    0.485297...

    References
    ----------
    Moffat, Scholer & Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ..., T: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
INSQ: _INSQ

class _BPM(_users.BejeweledPlayer):
    """BPM: a user who stops once a gain of T is collected or k items are seen, whichever comes first.

        C(i) = 1 if Σ_{j<=i} g_j < T and i < k, else 0;  g_i = (grade - min_grade) / (max_grade -
        min_grade)

    The gain per item seen by a user who stops once a gain of T is collected or k items are seen,
    whichever comes first.

    Use it when both a goal and a limit on effort are known.

    Misleads: Until the user stops every rank counts the same; with T = 1 and binary grades it is the
    reciprocal rank cut at k.

    Examples
    --------
    Grades 0, 1, 1 with T = 1, k = 10: the user stops at rank 2 with gain 1: 1/2.

    >>> import rankmeter as rm
    >>> rm.value("BPM@10", grades=[0, 1, 1])
    0.5

    References
    ----------
    Zhang et al., Evaluating web search with a bejeweled player model, SIGIR 2017
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ..., T: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
BPM: _BPM

class _SDCG(_users.ScaledDiscountedGain):
    """SDCG: discounted gain over that of k items of the best grade, however many of them exist.

        SDCG@k = Σ_{i<=k} g_i / log2(i+1) / Σ_{i<=k} 1 / log2(i+1);  g_i = (grade - min_grade) /
        (max_grade - min_grade)

    Discounted gain relative to k items of the highest grade, whether they exist or not.

    Use it when lists should be compared with what one could wish for, not with what was judged.

    Misleads: With fewer than k relevant items even a perfect list stays below 1.

    Examples
    --------
    Grades 1, 1 at k = 2: 1; grades 1, 0 at k = 2: 1 / (1 + 1/log2(3)) = 0.61.
    Grades 1, 0, 1 at k = 3: (1 + 1/2) / (1 + 1/log2(3) + 1/2) = 0.703918

    >>> import rankmeter as rm
    >>> rm.value("SDCG@2", grades=[1, 1]), rm.value("SDCG@2", grades=[1, 0])
    (1.0, 0.61...)
    >>> rm.value("SDCG@3", grades=[1, 0, 1])
    0.703918...

    References
    ----------
    Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SDCG: _SDCG

class _NERR8(_users.NormalisedErr8):
    """NERR8: a user who goes on only if an item did not satisfy them, up to rank k.

        C(i) = (1 - g_i) if i < k, else 0;  g_i = (grade - min_grade) / (max_grade - min_grade)

    The gain per item seen by a user who goes on only if an item did not satisfy them, up to rank k.

    Use it to bring the satisfaction of ERR into the C/W/L framework, where measures can be compared by
    their user models.

    Misleads: A fully useful item at rank 1 gives 1 whatever follows; values under different options are
    not comparable.

    Examples
    --------
    Grades 0, 1 at k = 10: both ranks are seen once, gain 1: 1/2.

    >>> import rankmeter as rm
    >>> rm.value("NERR8@10", grades=[0, 1, 1])
    0.5

    References
    ----------
    Azzopardi, Mackenzie & Moffat, ERR is not C/W/L: exploring the relationship between expected
    reciprocal rank and other metrics, ICTIR 2021
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NERR8: _NERR8

class _NERR9(_users.NormalisedErr9):
    """NERR9: as NERR8, tiring by i/(i+1) with every rank: the discount of ERR as a continuation.

        C(i) = i / (i + 1) · (1 - g_i) if i < k, else 0;  g_i = (grade - min_grade) / (max_grade -
        min_grade)

    The gain per item seen by a user who goes on if an item did not satisfy them, tiring by i/(i+1) with
    every rank, up to rank k. It is the discount of ERR as a continuation.

    Use it to bring the satisfaction of ERR into the C/W/L framework, where measures can be compared by
    their user models.

    Misleads: A fully useful item at rank 1 gives 1 whatever follows; values under different options are
    not comparable. The first useful item decides nearly everything.

    Examples
    --------
    Grades 0, 1 at k = 10: rank 2 is seen half as often: (1/2) / (3/2) = 1/3.

    >>> import rankmeter as rm
    >>> rm.value("NERR9@10", grades=[0, 1, 1])
    0.333333...

    References
    ----------
    Azzopardi, Mackenzie & Moffat, ERR is not C/W/L: exploring the relationship between expected
    reciprocal rank and other metrics, ICTIR 2021
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NERR9: _NERR9

class _NERR10(_users.NormalisedErr10):
    """NERR10: as NERR8, going on with probability p: the patience of RBP and the satisfaction of ERR together.

        C(i) = p · (1 - g_i);  g_i = (grade - min_grade) / (max_grade - min_grade)

    The gain per item seen by a user who goes on with probability p if an item did not satisfy them. It
    joins the patience of RBP with the satisfaction of ERR.

    Use it to bring the satisfaction of ERR into the C/W/L framework, where measures can be compared by
    their user models.

    Misleads: A fully useful item at rank 1 gives 1 whatever follows; values under different options are
    not comparable.

    Examples
    --------
    Grades 0, 1 with p = 0.9: 0.9 / 1.9 = 0.47.

    >>> import rankmeter as rm
    >>> rm.value("NERR10", grades=[0, 1, 1])
    0.47368...

    References
    ----------
    Azzopardi, Mackenzie & Moffat, ERR is not C/W/L: exploring the relationship between expected
    reciprocal rank and other metrics, ICTIR 2021
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ..., p: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NERR10: _NERR10

class _NERR11(_users.NormalisedErr11):
    """NERR11: as NERR8, with the growing patience of INSQ.

        C(i) = ((i + 2T - 1) / (i + 2T))^2 · (1 - g_i);  g_i = (grade - min_grade) / (max_grade -
        min_grade)

    The gain per item seen by a user who goes on, with the growing patience of INSQ, if an item did not
    satisfy them.

    Use it to bring the satisfaction of ERR into the C/W/L framework, where measures can be compared by
    their user models.

    Misleads: A fully useful item at rank 1 gives 1 whatever follows; values under different options are
    not comparable.

    Examples
    --------
    Grades 0, 1 with T = 1: (4/9) / (13/9) = 4/13.

    >>> import rankmeter as rm
    >>> rm.value("NERR11", grades=[0, 1, 1])
    0.307692...

    References
    ----------
    Azzopardi, Mackenzie & Moffat, ERR is not C/W/L: exploring the relationship between expected
    reciprocal rank and other metrics, ICTIR 2021
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            max_grade: int = ..., min_grade: int = ..., horizon: int = ..., T: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NERR11: _NERR11

class _IPrecAvg(_historic.AveragedInterpolatedPrecision):
    """Interpolated precision averaged over recall points, by default eleven, evenly spaced from 0 to 1.

        IPrecAvg = (1/n) Σ_{j=0..n-1} IPrec@(j/(n-1)),  n = 11

    Interpolated precision averaged over evenly spaced recall points, by default eleven from 0 to 1.

    Use it only to compare with reports from the 1990s; average precision has replaced it.

    Misleads: Interpolation raises precision at low recall: one lucky first place fills the first
    points. AP, which needs no interpolation, has superseded it.

    Examples
    --------
    R = 2, relevant at ranks 1 and 4: six points of 1 and five of 0.5: 8.5 / 11 = 0.77.
    At the points 0.2, 0.5 and 0.8: (1 + 1 + 0.5) / 3 = 0.8333

    >>> import rankmeter as rm
    >>> rm.value("IPrecAvg", grades=[1, 0, 0, 1]), rm.value("IPrecAvg(points={0.2,0.5,0.8})", grades=[1, 0, 0, 1])
    (0.772727..., 0.833333...)

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., points: int | Sequence[float] = ...,
            rounding: Literal["ceil", "trec9", "nearest"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
IPrecAvg: _IPrecAvg

class _SetAP(_historic.SetAveragePrecision):
    """Set precision times set recall: what average precision would be if the order were left to chance.

        SetAP = SetP · SetR = h^2 / (n · R)

    Set precision times set recall, with h relevant items among n returned. It is what average precision
    would be if the order were left to chance.

    Use it for unordered results when one number should penalise both noise and misses.

    Misleads: It ignores the order.

    Examples
    --------
    Three items returned, two relevant, R = 2: (2/3) · (2/2) = 2/3.

    >>> import rankmeter as rm
    >>> rm.value("SetAP", grades=[1, 0, 1])
    0.666666...

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SetAP: _SetAP

class _Utility(_historic.Utility):
    """Linear utility of the returned set, as filtering tasks define it.

        Utility = a·h + b·(n-h) + c·(R-h) + d·(N-n-R+h)

    What the returned set is worth when each relevant item found, each other item returned, each
    relevant item missed and each item rightly left out has a price. The prices a, b, c and d are the
    options found, noise, missed and rest; N is collection. Filtering tasks define it so.

    Use it for filtering, when the user states what an error costs.

    Misleads: It has no lower bound, and queries with long lists dominate the mean.

    Examples
    --------
    Two relevant items and one other, default prices 1 and -1: 2 - 1 = 1.

    >>> import rankmeter as rm
    >>> rm.value("Utility", grades=[1, 0, 1])
    1.0

    References
    ----------
    Lewis, The TREC-4 filtering track, TREC 1995
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "median", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ..., found: float = ..., noise: float = ..., missed: float = ...,
            rest: float = ..., collection: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Utility: _Utility

class _binG(_historic.BinaryG):
    """binG: each relevant item counts 1 over the logarithm of the number of other items above it.

        binG = (1/R) Σ_{r returned} 1 / log2(2 + n_r)

    Each relevant item counts 1 over the logarithm of n_r + 2, where n_r is the number of non-relevant
    items above it; the sum is divided by R.

    Use it only to read old trec_eval reports; it was an experiment.

    Misleads: It is not used to compare systems.

    Examples
    --------
    Relevant at ranks 1 and 3: n_r = 0 and 1: (1 + 1/log2(3)) / 2 = 0.82.

    >>> import rankmeter as rm
    >>> rm.value("binG", grades=[1, 0, 1])
    0.815464...

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
binG: _binG

class _G(_historic.NormalisedG):
    """G: each gain over the logarithm of how far the list is behind the ideal list at that rank.

        G = Σ_i g_i / log2(2 + Σ_{j<=i} max(g*_j, 1) - Σ_{j<=i} g_j) / Σ_j g*_j

    Each gain over the logarithm of how far the list is behind the best list at that rank.

    Use it only to read old trec_eval reports; it was an experiment.

    Misleads: It is not used to compare systems.

    Examples
    --------
    Grades 1, 0, 1: the second hit is one behind: (1 + 1/log2(3)) / 2 = 0.82.

    >>> import rankmeter as rm
    >>> rm.value("G", grades=[1, 0, 1])
    0.815464...

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ...,
            rel: float | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
G: _G

class _nDCGrel(_historic.NdcgOverRelevant):
    """nDCGrel: nDCG at the rank of each item with a gain, averaged over those items.

        nDCGrel = (1/|R|) (Σ_{r returned} nDCG@i_r + Σ_{r not returned} nDCG)

    nDCG at the rank of each item with a gain, averaged over those items.

    Use it only to read old trec_eval reports; it was an experiment.

    Misleads: It is not used to compare systems.

    Examples
    --------
    Grades 1, 0, 1: nDCG@1 = 1 and nDCG@3 = 1.5/1.63 = 0.92: their mean is 0.96.

    >>> import rankmeter as rm
    >>> rm.value("nDCGrel", grades=[1, 0, 1])
    0.95986...

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ...,
            rel: float | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
nDCGrel: _nDCGrel

class _RnDCG(_historic.NdcgOverLevels):
    """RnDCG: nDCG averaged over the ranks at which the ideal list steps down to a lower gain.

        RnDCG = (1/|C|) Σ_{c∈C} DCG@min(c,n) / IDCG@c

    nDCG averaged over the ranks at which the ideal list steps down to a lower gain, and over the end of
    a longer list. C holds, for each positive gain, the number of items with at least that gain, and the
    length n of the list if it goes at least two items beyond the last of these.

    Use it only to read old trec_eval reports; it was an experiment.

    Misleads: It is not used to compare systems.

    Examples
    --------
    Grades 2, 0, 1: at rank 1 it is 1, at rank 2 it is 2/2.63 = 0.76: their mean is 0.88.

    >>> import rankmeter as rm
    >>> rm.value("RnDCG", grades=[2, 0, 1])
    0.880093...

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ...,
            rel: float | None = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
RnDCG: _RnDCG

class _NumNonrelRet(_historic.NumNonrelevantReturned):
    """The number of items judged not relevant that were returned; with a cutoff, in the first k places.

        NumNonrelRet = Σ_q (items judged not relevant returned for q)

    How many items that were judged and found not relevant the run returned, summed over the evaluated
    queries.

    Use it beside NumRelRet and NumRet: the remaining items were never judged.

    Misleads: A low count may mean a good run or one that the judges never saw.

    Examples
    --------
    Grades in ranked order 1, 0, 1, 0: two.

    >>> import rankmeter as rm
    >>> rm.value("NumNonrelRet", grades=[1, 0, 1, 0])
    2.0
    """
    def __call__(self, *, aggregate: Literal["sum", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: Literal["high"] | float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NumNonrelRet: _NumNonrelRet

class _Unjudged(_historic.Unjudged):
    """Unjudged: the share of the first k places that hold unjudged items.

        Unjudged@k = (items without a judgment in the first k) / k

    The share of the first k places that hold unjudged items.

    Use it beside any other number: the higher it is, the less the number can be trusted.

    Misleads: A list shorter than k is still divided by k; it is the complement of Judged only for full
    lists. It says nothing about quality.

    Examples
    --------
    One judged and one unjudged item at k = 4: 1/4.

    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, ["Unjudged@4"])["Unjudged@4"]
    0.25

    References
    ----------
    Buckley and others, trec_eval 10.0, NIST, 2026
    """
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "mean", "shared", "middle", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            norm: Literal["places", "none"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Unjudged: _Unjudged

class _RBPResidual(_historic.RankBiasedResidual):
    """The residual of rank-biased precision: how much the unjudged items could still add.

        RBPResidual = (1-p) Σ_{i not judged} p^(i-1) + p^n

    How much unjudged items, and everything below the list, could still add to RBP.

    Report it beside RBP when judgments are incomplete: the true value lies between RBP and RBP plus
    this.

    Misleads: It bounds the error of missing judgments, not that of wrong ones.

    Examples
    --------
    p = 0.5, unjudged at rank 2 of 2: 0.5 · 0.5 + 0.25 = 0.5.

    >>> import rankmeter as rm
    >>> rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, ["RBPResidual(p=0.5)"])["RBPResidual(p=0.5)"]
    0.5

    References
    ----------
    Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            p: float = ..., tail: Literal["always", "if-unjudged"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
RBPResidual: _RBPResidual

class _alpha_DCG(_diversity.AlphaDCG):
    """alpha-DCG: discounted gain in which the gain of a subtopic shrinks by 1 - alpha each time it is seen.

        alpha_DCG: Σ_{i<=k} Σ_s r_is (1-α)^c(i,s) / log2(i+1) / Σ_{i<=k} A (1-α)^(i-1) / log2(i+1)

    Discounted gain in which a subtopic gains 1 the first time it is covered and 1 - alpha times as much
    each further time, relative to a list that covers all A subtopics at every rank. A counts the
    subtopics with a relevant item, and c(i,s) the items above rank i that are relevant to s.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: Even the best list stays below 1, because the list it is compared with rarely exists.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    Gains 1, 1/2, 1 at ranks 1 to 3.
    alpha_DCG@3 = (1 + 0.5 · 0.63093 + 0.5) / (2 · (1 + 0.5 · 0.63093 + 0.25 · 0.5)) = 0.630166

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["alpha_DCG@3"])
    >>> round(ev["alpha_DCG@3"], 6)
    0.630166

    References
    ----------
    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ..., alpha: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
alpha_DCG: _alpha_DCG

class _alpha_nDCG(_diversity.AlphaNDCG):
    """alpha-nDCG: alpha-DCG over that of the best list of judged items.

        alpha_nDCG = alpha_DCG@k / alpha_DCG@k of the ideal list

    alpha-DCG relative to that of the best list of judged items, which is built greedily. The item that
    adds most comes next, ties by higher id: finding the true optimum is NP-hard.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: The greedy ideal can fall short of the optimum, so values slightly above 1 are possible.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    Ideal b, c, a: gains 1, 1, 1/2; the list has 1, 1/2, 1.
    alpha_nDCG@3 = 1.815465 / 1.880930 = 0.965195

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["alpha_nDCG@3"])
    >>> round(ev["alpha_nDCG@3"], 6)
    0.965195

    References
    ----------
    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ..., alpha: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
alpha_nDCG: _alpha_nDCG

class _ERR_IA(_diversity.IntentAwareERR):
    """ERR-IA: intent-aware expected reciprocal rank: a reader's cascade for each subtopic, averaged.

        ERR_IA: Σ_{i<=k} (1/i) Σ_s r_is (1-α)^c(i,s) / Σ_{i<=k} A (1-α)^(i-1) / i

    A reader's cascade for each subtopic: the gain of a subtopic divided by its rank, less each time it
    is repeated. A counts the subtopics with a relevant item, and c(i,s) the items above rank i that are
    relevant to s.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: Grades count only as relevant or not.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    1 + (1/2)/2 + 1/3 over 2 · (1 + 1/4 + 1/12).
    ERR_IA@3 = 0.59375

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["ERR_IA@3"])
    >>> round(ev["ERR_IA@3"], 6)
    0.59375

    References
    ----------
    Chapelle et al., Intent-based diversification of web search results: metrics and algorithms,
    Information Retrieval 14(6), 2011
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ..., alpha: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ERR_IA: _ERR_IA

class _nERR_IA(_diversity.NormalisedIntentAwareERR):
    """nERR-IA: ERR-IA over that of the ideal list.

        nERR_IA = ERR_IA@k / ERR_IA@k of the ideal list

    ERR-IA relative to that of the best list of judged items, which is built greedily.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: The ideal list is built greedily, as for alpha-nDCG.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    (1 + 1/4 + 1/3) / (1 + 1/2 + 1/6) = 0.95.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> ev = rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["nERR_IA@3"])
    >>> round(ev["nERR_IA@3"], 6)
    0.95

    References
    ----------
    Chapelle et al., Intent-based diversification of web search results: metrics and algorithms,
    Information Retrieval 14(6), 2011
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ..., alpha: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
nERR_IA: _nERR_IA

class _NRBP(_diversity.NoveltyBiasedRBP):
    """NRBP: novelty- and rank-biased precision: a reader who goes on with probability beta and tires of repetition.

        NRBP = (1 - (1-α)β) / A · Σ_i β^(i-1) Σ_s r_is (1-α)^c(i,s)

    The gain of a reader who goes on with probability beta and tires of subtopics already seen. A counts
    the subtopics with a relevant item, and c(i,s) the items above rank i that are relevant to s.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: With beta = 0.5 nearly all the weight is on the first five places.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    (3/4) / 2 · (1 + (1/2)/2 + 1/4) = 9/16.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["NRBP"])["NRBP"]
    0.5625

    References
    ----------
    Clarke, Kolla & Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR
    2009
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ..., alpha: float = ..., beta: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
NRBP: _NRBP

class _nNRBP(_diversity.NormalisedNoveltyBiasedRBP):
    """nNRBP: NRBP over that of the ideal list.

        nNRBP = NRBP / NRBP of the ideal list

    NRBP relative to that of the best list of all judged items, which is built greedily.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: The ideal list is built greedily, as for alpha-nDCG.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    (1 + 1/4 + 1/4) / (1 + 1/2 + 1/8) = 12/13.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> round(rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["nNRBP"])["nNRBP"], 6)
    0.923077

    References
    ----------
    Clarke, Kolla & Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR
    2009
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ..., alpha: float = ..., beta: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
nNRBP: _nNRBP

class _AP_IA(_diversity.IntentAwareAP):
    """AP-IA: the mean of the average precisions for each subtopic.

        AP_IA = (1/A) Σ_s AP_s

    The mean of the average precisions for each subtopic. A counts the subtopics with a relevant item.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: Rare and common subtopics count the same, and repetition is not penalised.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    AP for s1 = 1, for s2 = 1/3: 2/3.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> round(rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["AP_IA"])["AP_IA"], 6)
    0.666667

    References
    ----------
    Agrawal et al., Diversifying search results, WSDM 2009
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
AP_IA: _AP_IA

class _P_IA(_diversity.IntentAwarePrecision):
    """P-IA: the mean of the precisions for each subtopic.

        P_IA@k = (1/A) Σ_s P_s@k

    The mean of the precisions for each subtopic. A counts the subtopics with a relevant item.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: k items on one subtopic score as much as k/2 on each of two.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    At k = 3: (2/3 + 1/3) / 2 = 1/2.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["P_IA@3"])["P_IA@3"]
    0.5

    References
    ----------
    Agrawal et al., Diversifying search results, WSDM 2009
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
P_IA: _P_IA

class _StRecall(_diversity.SubtopicRecall):
    """StRecall: the share of the subtopics that the first k places cover.

        StRecall@k = (subtopics covered in the first k) / A

    Of the subtopics with a relevant item, the share that the first k places cover.

    Use it when a query can mean several things and judgments say which item serves which meaning.

    Misleads: One item per subtopic is enough, whatever else is in the list.

    Examples
    --------
    q: a and b are relevant to s1, c to s2; list a, b, c.
    At k = 2 only s1 is covered: 1/2.

    >>> import rankmeter as rm
    >>> truth = {"q": {"a": {"s1": 1}, "b": {"s1": 1}, "c": {"s2": 1}}}
    >>> rm.evaluate(truth, {"q": ["a", "b", "c"]}, ["StRecall@2"])["StRecall@2"]
    0.5

    References
    ----------
    Zhai, Cohen & Lafferty, Beyond independent relevance: methods and evaluation metrics for subtopic
    retrieval, SIGIR 2003
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ..., ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
StRecall: _StRecall

class _Coverage(_coverage.Coverage):
    """Catalogue coverage: the share of the items that are recommended to anyone.

        Coverage@k = |items of the catalogue in any first k| / |catalogue|

    Of all items that could be recommended, the share that at least one user gets within the first k
    places.

    Use it to see whether a recommender serves the whole catalogue or only a corner of it.

    Misleads: One place in one list covers an item as well as a thousand do, so it hides how uneven the
    use is (Gini shows it). It grows with k and with the number of users, so compare systems on the same
    users only. Tools divide by the catalogue, by the items of the training data, or do not divide at
    all.

    Examples
    --------
    Eight items; lists 1 2 3, 2 4 5 and 3 6 7.
    Seven different items appear: 7/8 = 0.875

    >>> import rankmeter as rm
    >>> lists = [[1, 2, 3], [2, 4, 5], [3, 6, 7]]
    >>> rm.evaluate(None, lists, "Coverage@3", catalogue=range(1, 9))["Coverage@3"]
    0.875

    References
    ----------
    Ge, Delgado-Battenfeld & Jannach, Beyond accuracy: evaluating recommender systems by coverage and
    serendipity, RecSys 2010
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            of: Literal["catalogue", "history"] = ..., outside: Literal["ignored", "counted"] = ...,
            unit: Literal["share", "percent", "count"] = ..., padding: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Coverage: _Coverage

class _UserCoverage(_coverage.UserCoverage):
    """User coverage: the share of the judged users who get at least one recommendation.

        UserCoverage@k = |judged users with a list| / |judged users|

    The share of the judged users who get any recommendation at all.

    Use it beside every accuracy measure: a system that recommends nothing to difficult users looks
    accurate.

    Misleads: A list with one poor item covers its user; lists=full requires k items.

    Examples
    --------
    Users u and v are judged; only u has a list.
    1/2 = 0.5

    >>> import rankmeter as rm
    >>> rm.evaluate({"u": ["a"], "v": ["b"]}, {"u": ["a", "b"]}, "UserCoverage")["UserCoverage"]
    0.5

    References
    ----------
    Herlocker, Konstan, Terveen & Riedl, Evaluating collaborative filtering recommender systems, TOIS
    22(1), 2004
    """
    def __call__(self, *, aggregate: Literal["mean", "sum"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            lists: Literal["any", "full"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
UserCoverage: _UserCoverage

class _Gini(_coverage.Gini):
    """Gini index of how often items are recommended: 0 if all equally often, near 1 if one item takes every place.

        G = Σ_i (2i - n - 1) c_(i) / (n Σ c),  c in ascending order over the catalogue

    How unequally the places are spread over the items: 0 when all items are recommended equally often,
    near 1 when a single item takes every place.

    Use it to watch concentration on a few items, beside Coverage.

    Misleads: With fewer places than items it cannot be 0, however even the choice is. Some tools leave
    out the items that are never recommended, some divide by n - 1, and one publishes 1 - G under the
    same name.

    Examples
    --------
    Three items, recommended 0, 1 and 2 times.
    ((2-4)*0 + (4-4)*1 + (6-4)*2) / (3 * 3) = 4/9 = 0.4444

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [["b", "c"], ["c"]], "Gini", catalogue=["a", "b", "c"])["Gini"]
    0.4444...

    References
    ----------
    Gini, Variabilità e mutabilità, 1912; Fleder & Hosanagar, Blockbuster culture's next rise or fall,
    Management Science 55(5), 2009
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            over: Literal["catalogue", "recommended", "history"] = ..., divisor: Literal["n", "n-1"] = ...,
            scale: Literal["inequality", "equality"] = ..., padding: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Gini: _Gini

class _ExposureGini(_coverage.ExposureGini):
    """Gini index of the exposure of items: a place counts by the chance that it is seen.

        the Gini index of e_i = Σ_u Σ_r w(r) [item i stands at rank r for u],  w(r) = p^(r-1)

    Like the Gini index of counts, but a place counts by the chance that it is looked at. With
    weight=equal it is Gini.

    Use it when first places matter far more than later ones, and items or their makers compete for
    them.

    Misleads: The weights are a model of attention: another patience p, or a logarithmic weight, gives
    another number.

    Examples
    --------
    Three items; lists c b and c; p = 0.85.
    Exposures 0, 0.85 and 2: (2 * 2) / (3 * 2.85) = 0.4678

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [["c", "b"], ["c"]], "ExposureGini", catalogue=["a", "b", "c"])["ExposureGini"]
    0.4678...

    References
    ----------
    Diaz, Mitra, Ekstrand, Biega & Carterette, Evaluating stochastic rankings with expected exposure,
    CIKM 2020
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            over: Literal["catalogue", "recommended", "history"] = ..., divisor: Literal["n", "n-1"] = ...,
            scale: Literal["inequality", "equality"] = ...,
            weight: Literal["geometric", "log2", "reciprocal", "equal"] = ..., p: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ExposureGini: _ExposureGini

class _Entropy(_coverage.Entropy):
    """Shannon entropy of the recommended items: how evenly the recommendations are spread over items.

        H = -Σ_i p_i log_b p_i,  p_i = share of all places that item i takes

    How evenly the places are spread over the items, in bits; 2^H is the number of items that would fill
    them evenly.

    Use it as a second look at concentration; unlike Gini it does not need the catalogue.

    Misleads: Some texts call it novelty, although it does not know which items are new to anyone. Base
    2 and base e differ by a factor of 1.44, and RecBole also divides by the number of different items.

    Examples
    --------
    Lists 1 2 3, 2 3 4 and 3 4 5, base e: shares 1/9, 2/9, 3/9, 2/9, 1/9.
    H = 1.5229

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [[1, 2, 3], [2, 3, 4], [3, 4, 5]], "Entropy(base=e)@3")["Entropy(base=e)@3"]
    1.5229...

    References
    ----------
    Shannon, A mathematical theory of communication, 1948
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            norm: Literal["none", "items", "distinct"] = ..., weighting: Literal["places", "lists"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Entropy: _Entropy

class _ILD(_listdiversity.IntraListDistance):
    """Intra-list distance: the mean distance between two items of the same list.

        ILD@k = 2 / (n (n-1)) Σ_{i<j} d(i, j) over the items of a list

    How different two items of the same list are on average; by default one minus the cosine of their
    feature vectors. Items without features are left out of the pairs; a vector of zeros has similarity
    0 with everything.

    Use it to see whether lists offer a choice or the same thing ten times.

    Misleads: Random lists are the most diverse. Cosine, Hamming and Jaccard distances are unrelated
    scales, and some tools divide the sum over pairs by the length of the list, so that it grows with k.

    Examples
    --------
    Features (.9 .1 .2), (.8 .3 .1), (.1 .9 .4); one list of the three.
    Cosines 0.967, 0.283 and 0.456: 1 - their mean = 0.4312

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=[0, 1, 2], features=[[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.9, 0.4]])
    >>> rm.evaluate(None, [[0, 1, 2]], "ILD@3", catalogue=items)["ILD@3"]
    0.4312...

    References
    ----------
    Ziegler, McNee, Konstan & Lausen, Improving recommendation lists through topic diversification, WWW
    2005
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            metric: Literal["cosine", "jaccard", "hamming", "hamming-count", "euclidean", "manhattan", "given"] = ...,
            source: Literal["features", "categories", "history"] = ..., single: Literal["one", "zero", "skip"] = ...,
            norm: Literal["pairs", "list"] = ..., scale: Literal["distance", "similarity"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ILD: _ILD

class _CategoryDiversity(_listdiversity.CategoryDiversity):
    """Category diversity: how many different categories a list contains, by default divided by k.

        |different categories in the first k| / k

    How many different categories a list contains, divided by k.

    Use it when items have labels but no vectors.

    Misleads: It depends on how fine the categories are, and items with many categories inflate it, even
    beyond 1.

    Examples
    --------
    Categories news, news, sport.
    2/3 = 0.6666

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c"], categories=["news", "news", "sport"])
    >>> rm.evaluate(None, [["a", "b", "c"]], "CategoryDiversity@3", catalogue=items)["CategoryDiversity@3"]
    0.6666...

    References
    ----------
    Zhai, Cohen & Lafferty, Beyond independent relevance: methods and evaluation metrics for subtopic
    retrieval, SIGIR 2003
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            norm: Literal["k", "list", "catalogue", "count"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CategoryDiversity: _CategoryDiversity

class _CategoryEntropy(_listdiversity.CategoryEntropy):
    """Category entropy: how evenly a list is spread over its categories.

        -Σ_c p_c log2 p_c,  p_c = share of the list in category c

    How evenly a list is spread over its categories, in bits; an item with several categories counts
    equally towards each.

    Use it when the number of categories alone says too little.

    Misleads: A user with one strong taste is well served by a low value; Calibration compares with the
    user's own history.

    Examples
    --------
    Categories news, news, sport: shares 2/3 and 1/3.
    0.9182 bits

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c"], categories=["news", "news", "sport"])
    >>> rm.evaluate(None, [["a", "b", "c"]], "CategoryEntropy@3", catalogue=items)["CategoryEntropy@3"]
    0.9182...

    References
    ----------
    Shannon, A mathematical theory of communication, 1948
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            norm: Literal["none", "categories"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CategoryEntropy: _CategoryEntropy

class _Personalisation(_listdiversity.Personalisation):
    """Personalisation: one minus the mean similarity of two users' lists.

        1 - mean over pairs of users of |L_u ∩ L_v| / sqrt(|L_u| |L_v|)

    How different the lists of two users are on average: 0 when everyone gets the same list, 1 when no
    two lists share an item.

    Use it to distinguish a personal recommender from a bestseller list.

    Misleads: Random lists are the most personal, and a small catalogue keeps it low.

    Examples
    --------
    Lists a b, b c and d e.
    Cosines 1/2, 0 and 0: 1 - 1/6 = 0.8333

    >>> import rankmeter as rm
    >>> rm.evaluate(None, [["a", "b"], ["b", "c"], ["d", "e"]], "Personalisation")["Personalisation"]
    0.8333...

    References
    ----------
    Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS 107(10),
    2010
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Personalisation: _Personalisation

class _Serendipity(_listdiversity.Serendipity):
    """Serendipity: items that are relevant and would not have been expected.

        (1/n) Σ_r rel_r max(p(r) - p(π_i), 0),  p(r) = (|I|+1-r)/|I|,  π_i the item's rank by popularity

    How many items of a list are both relevant and unexpected. By default an item is the more unexpected
    the higher it stands above its rank by popularity, which equally popular items share. With
    surprise=history its surprise is one minus its mean cosine similarity, by source, to what the user
    took; with surprise=popular it is unexpected if it is not among the k most popular items.

    Use it when a good surprise is the goal: discovery, culture, news.

    Misleads: Three published quantities share the name: against popularity rank, against the user's
    history, against the most popular items (surprise). They are not comparable.

    Examples
    --------
    Two items; the less popular one (popularity rank 2) stands first and is relevant.
    (2/2 - 1/2) / 1 = 0.5

    >>> import rankmeter as rm
    >>> train, items = {"u": ["a", "b"], "v": ["a"]}, ["a", "b"]
    >>> rm.evaluate({"v": ["b"]}, {"v": ["b"]}, "Serendipity@1", catalogue=items, history=train)["Serendipity@1"]
    0.5

    References
    ----------
    Ge, Delgado-Battenfeld & Jannach, RecSys 2010; Murakami, Mori & Orihara, Metrics for evaluating the
    serendipity of recommendation lists, JSAI 2007
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., surprise: Literal["popularity", "history", "popular"] = ...,
            source: Literal["features", "categories", "history"] = ...,
            relevance: Literal["judged", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Serendipity: _Serendipity

class _Unexpectedness(_listdiversity.Unexpectedness):
    """Unexpectedness: how different the list is from what was to be expected.

        (1/n) Σ_i (1 - mean over h in H_u of cos(i, h))

    How different the recommended items are from what the user took before. With surprise=popular it is
    the share of the list that is not among the k most popular items.

    Use it beside an accuracy measure, to see whether lists only repeat the past.

    Misleads: Nothing is as unexpected as an irrelevant item.

    Examples
    --------
    History a; the vector of b is orthogonal to that of a, c has the same one. List b c.
    (1 + 0) / 2 = 0.5

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c"], features=[[1, 0], [0, 1], [1, 0]])
    >>> asked = "Unexpectedness"
    >>> rm.evaluate(None, {"u": ["b", "c"]}, asked, catalogue=items, history={"u": ["a"]})[asked]
    0.5

    References
    ----------
    Adamopoulos & Tuzhilin, On unexpectedness in recommender systems, TIST 5(4), 2014
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            surprise: Literal["history", "popular"] = ...,
            source: Literal["features", "categories", "history"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Unexpectedness: _Unexpectedness

class _Calibration(_listdiversity.Calibration):
    """Calibration: how far the categories of a list are from those of the user's history.

        KL(p || q') = Σ_c p_c log2(p_c / q'_c),  q' = (1-α) q + α p

    How far the categories of a list (q) are from those of the user's history (p): 0 when the shares
    agree. Users without a history and items without a category do not count.

    Use it to see whether all of a user's tastes are served, not only the strongest.

    Misleads: It rewards repeating the past; a user who has outgrown a taste is served it again.

    Examples
    --------
    History half a and half b, list all a, α = 0.01.
    0.5 log2(0.5/0.995) + 0.5 log2(0.5/0.005) = 2.8255

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=[1, 2, 3], categories=["a", "b", "a"])
    >>> rm.evaluate(None, {"u": [3]}, "Calibration", catalogue=items, history={"u": [1, 2]})["Calibration"]
    2.8255...

    References
    ----------
    Steck, Calibrated recommendations, RecSys 2018
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., divergence: Literal["kl", "js"] = ...,
            alpha: float = ..., base: Literal["e"] | float = ...,
            weight: Literal["equal", "log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Calibration: _Calibration

class _ARP(_popularity.AverageRecommendationPopularity):
    """Average recommendation popularity: how often the recommended items were taken in the training data.

        ARP@k = (1/n) Σ_i m_i

    How often the recommended items were taken in the training data, on average.

    Use it to see how much a recommender relies on popular items.

    Misleads: Popular items are popular for a reason; a low value is not a merit in itself. Tools count
    interactions or users, and keep or drop items that nobody took.

    Examples
    --------
    Interactions a b and a; list a c.
    (2 + 0) / 2 = 1.0

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"w": ["a", "c"]}, "ARP@2", history={"u": ["a", "b"], "v": ["a"]})["ARP@2"]
    1.0

    References
    ----------
    Yin, Cui, Li, Yao & Chen, Challenging the long tail recommendation, VLDB 2012
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            count: Literal["interactions", "users"] = ..., norm: Literal["none", "share", "max"] = ...,
            cold: Literal["zero", "skip"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ARP: _ARP

class _APLT(_popularity.AveragePercentageOfLongTail):
    """Average percentage of long-tail items: the mean share of a list that comes from the tail.

        APLT@k = mean over users of |L_u ∩ tail| / |L_u|

    The mean share of a list that comes from the long tail: the items outside the head, which has 80 %
    of the interactions.

    Use it to see whether rare items get a chance.

    Misleads: Other tools define the tail by items, not by interactions, and get quite different
    numbers.

    Examples
    --------
    a has 4 of 5 interactions; list a b c.
    b and c are the tail: 2/3 = 0.6666

    >>> import rankmeter as rm
    >>> train = {1: ["a"], 2: ["a"], 3: ["a"], 4: ["a", "b"]}
    >>> rm.evaluate(None, {5: ["a", "b", "c"]}, "APLT@3", history=train)["APLT@3"]
    0.6666...

    References
    ----------
    Abdollahpouri, Burke & Mobasher, Managing popularity bias in recommender systems with personalized
    re-ranking, FLAIRS 2019
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            tail: Literal["interactions", "items"] = ..., share: float = ...,
            among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
APLT: _APLT

class _ACLT(_popularity.AverageCountOfLongTail):
    """Average count of long-tail items in a list.

        ACLT@k = mean over users of |L_u ∩ tail|

    How many items of a list come from the long tail, on average. The tail is that of APLT.

    Use it where lists have the same length and a count is easier to communicate than a share.

    Misleads: It grows with the length of the lists.

    Examples
    --------
    a has 4 of 5 interactions; list a b c.
    b and c are the tail: 2.0

    >>> import rankmeter as rm
    >>> train = {1: ["a"], 2: ["a"], 3: ["a"], 4: ["a", "b"]}
    >>> rm.evaluate(None, {5: ["a", "b", "c"]}, "ACLT@3", history=train)["ACLT@3"]
    2.0

    References
    ----------
    Abdollahpouri, Burke & Mobasher, Managing popularity bias in recommender systems with personalized
    re-ranking, FLAIRS 2019
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            tail: Literal["interactions", "items"] = ..., share: float = ...,
            among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ACLT: _ACLT

class _TailShare(_popularity.TailShare):
    """Tail share: the share of all recommended places that go to items of the tail.

        Σ_u |L_u ∩ tail| / Σ_u |L_u|

    Of all recommended places, the share that goes to the least popular fifth of the items. Unlike in
    APLT, every place counts the same, whatever list it is in.

    Use it to report the tail's share of all traffic, whatever the length of individual lists.

    Misleads: Which items make up that fifth depends on how equally popular items are ordered; here
    those earlier in the catalogue belong to the tail.

    Examples
    --------
    Five items with popularity 9 7 5 3 1: the tail is the last one. Lists a e and b.
    1/3 = 0.3333

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=list("abcde"), popularity=[9, 7, 5, 3, 1])
    >>> rm.evaluate(None, {1: ["a", "e"], 2: ["b"]}, "TailShare", catalogue=items)["TailShare"]
    0.3333...

    References
    ----------
    Anderson, The Long Tail, Wired, 2004
    """
    def __call__(self, *, aggregate: Literal["pooled", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            tail: Literal["interactions", "items"] = ..., share: float = ...,
            among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
TailShare: _TailShare

class _PopREO(_popularity.PopularityEqualOpportunity):
    """Popularity-based ranking equal opportunity: whether relevant items of head and tail are found equally often.

        std(o_g) / mean(o_g) over head and tail,  o_g = hits_g / relevant_g

    Whether relevant items of head and tail have the same chance of being found: 0 if they have. A group
    without a relevant item is left out, and with among=history so is every item that nobody took.

    Use it to see whether relevant rare items are passed over.

    Misleads: It is also 0 if nothing of either group is found.

    Examples
    --------
    2 of 2 items of the head are found, 1 of 2 of the tail.
    std(1, 0.5) / mean(1, 0.5) = 0.25 / 0.75 = 0.3333

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=list("abcd"), popularity=[9, 9, 1, 1])
    >>> truth, lists = {1: ["a", "c"], 2: ["b", "d"]}, {1: ["a", "c"], 2: ["b", "c"]}
    >>> rm.evaluate(truth, lists, "PopREO@2", catalogue=items)["PopREO@2"]
    0.3333...

    References
    ----------
    Zhu, Wang & Caverlee, Measuring and mitigating item under-recommendation bias in personalized
    ranking systems, SIGIR 2020
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            groups: Literal["popularity", "catalogue"] = ..., tail: Literal["interactions", "items"] = ...,
            share: float = ..., among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...,
            rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PopREO: _PopREO

class _PopRSP(_popularity.PopularityStatisticalParity):
    """Popularity-based ranking statistical parity: whether items of head and tail are recommended equally often.

        std(s_g) / mean(s_g) over head and tail,  s_g = recommended_g / places that group g could have
        taken

    Whether items of head and tail are recommended equally often, relative to what could have been
    recommended: 0 if they are. What could have been recommended are the items of the group that the
    user has not taken yet.

    Use it when equal exposure itself is the goal, whatever is relevant.

    Misleads: It takes parity as the goal, whatever users want.

    Examples
    --------
    The head takes 2 of 3 possible places, the tail 1 of 4.
    std(0.667, 0.25) / mean = 0.4545

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=list("abcd"), popularity=[9, 9, 1, 1])
    >>> lists, train = {1: ["a", "c"], 2: ["b"]}, {1: ["b"]}
    >>> rm.evaluate(None, lists, "PopRSP@2", catalogue=items, history=train)["PopRSP@2"]
    0.4545...

    References
    ----------
    Zhu, Wang & Caverlee, Measuring and mitigating item under-recommendation bias in personalized
    ranking systems, SIGIR 2020
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            groups: Literal["popularity", "catalogue"] = ..., tail: Literal["interactions", "items"] = ...,
            share: float = ..., among: Literal["catalogue", "history"] = ...,
            border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PopRSP: _PopRSP

class _PopularityLift(_popularity.PopularityLift):
    """Popularity lift: how much more popular the recommended items are than those that users chose themselves.

        (Σ_u pop(L_u) - Σ_u pop(H_u)) / Σ_u pop(H_u),  pop = mean interactions of the items

    How much more popular the recommended items are than those that users chose themselves: 0 keeps
    their taste, 1 doubles the popularity. aggregate=mean averages the lift of each user instead.

    Use it by user segment to see whose taste is pushed towards the mainstream.

    Misleads: Items already taken are usually not recommended again, which alone lowers the popularity.

    Examples
    --------
    The list has popularity 2, the user's history 1.
    (2 - 1) / 1 = 1.0

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "x": ["a"], "v": ["c"]}
    >>> rm.evaluate(None, {"v": ["a"]}, "PopularityLift", history=train)["PopularityLift"]
    1.0

    References
    ----------
    Abdollahpouri, Mansoury, Burke & Mobasher, The unfairness of popularity bias in recommendation, RMSE
    workshop at RecSys 2019
    """
    def __call__(self, *, aggregate: Literal["pooled", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            count: Literal["interactions", "users"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PopularityLift: _PopularityLift

class _Novelty(_popularity.Novelty):
    """Novelty: the mean self-information of the recommended items, in bits.

        Novelty@k = (1/n) Σ_i -log2(m_i / M),  m_i of all M interactions are with item i

    How surprising the recommended items are, in bits, given how often each was taken in the training
    data.

    Use it to see whether a recommender goes beyond what everybody knows.

    Misleads: Rare is not the same as new to this user. The number depends on how an item that nobody
    took is treated (cold): as taken once, as worth nothing, or left out. Random items of the tail score
    best.

    Examples
    --------
    Interactions a b, a c; list a b.
    (-log2(2/4) - log2(1/4)) / 2 = 1.5

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "v": ["a", "c"]}
    >>> rm.evaluate(None, {"w": ["a", "b"]}, "Novelty@2", history=train)["Novelty@2"]
    1.5

    References
    ----------
    Vargas & Castells, Rank and relevance in novelty and diversity metrics for recommender systems,
    RecSys 2011
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            cold: Literal["one", "zero", "skip", "rarest"] = ..., norm: Literal["none", "log"] = ...,
            divisor: Literal["list", "k"] = ..., count: Literal["interactions", "users"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Novelty: _Novelty

class _MIUF(_popularity.MeanInverseUserFrequency):
    """Mean inverse user frequency: novelty by the share of users who took the item.

        (1/n) Σ_i -log2(|U_i| / |U|),  |U_i| of all |U| users took item i

    Novelty counted over users: how few of them took the recommended items, in bits.

    Use it instead of Novelty if one user can take an item many times.

    Misleads: As for Novelty; RePlay's surprisal is this divided by log2 |U|. In options: norm=log,
    divisor=k.

    Examples
    --------
    Both users took a, one took b; list a b.
    (0 + 1) / 2 = 0.5

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"w": ["a", "b"]}, "MIUF@2", history={"u": ["a", "b"], "v": ["a", "c"]})["MIUF@2"]
    0.5

    References
    ----------
    Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS 107(10),
    2010
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            cold: Literal["one", "zero", "skip", "rarest"] = ..., norm: Literal["none", "log"] = ...,
            divisor: Literal["list", "k"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
MIUF: _MIUF

class _EPC(_popularity.ExpectedPopularityComplement):
    """Expected popularity complement: how unpopular the relevant recommended items are, discounted by rank.

        EPC@k = Σ rel_i d_i (1 - |U_i|/|U|) / Σ d_i,  d_i = 1/log2(i+1)

    How unpopular the relevant recommended items are; early places count more.

    Use it if novelty should count only for items that the user likes.

    Misleads: A list without a hit scores 0, so one number mixes accuracy and novelty.

    Examples
    --------
    List a b; only a is relevant, and one of two users took it.
    0.5 * 1 / (1 + 0.6309) = 0.3065

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "v": ["b"]}
    >>> rm.evaluate({"w": ["a"]}, {"w": ["a", "b"]}, "EPC@2", history=train)["EPC@2"]
    0.3065...

    References
    ----------
    Vargas & Castells, Rank and relevance in novelty and diversity metrics for recommender systems,
    RecSys 2011
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., discount: Literal["log2", "reciprocal", "none"] = ...,
            relevance: Literal["judged", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EPC: _EPC

class _EFD(_popularity.ExpectedFreeDiscovery):
    """Expected free discovery: the self-information of the relevant recommended items, discounted by rank.

        EFD@k = Σ rel_i d_i (-log2(m_i/M)) / Σ d_i,  d_i = 1/log2(i+1)

    The self-information of the relevant recommended items; early places count more.

    Use it like EPC, if very rare finds should count much more than rare ones.

    Misleads: As for EPC, and it has no upper bound.

    Examples
    --------
    List a b; only a is relevant, one of four interactions.
    2 * 1 / (1 + 0.6309) = 1.2262

    >>> import rankmeter as rm
    >>> train = {"u": ["a", "b"], "v": ["b", "c"]}
    >>> rm.evaluate({"w": ["a"]}, {"w": ["a", "b"]}, "EFD@2", history=train)["EFD@2"]
    1.2262...

    References
    ----------
    Vargas & Castells, Rank and relevance in novelty and diversity metrics for recommender systems,
    RecSys 2011
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., base: Literal["e"] | float = ...,
            cold: Literal["one", "zero", "skip", "rarest"] = ..., discount: Literal["log2", "reciprocal", "none"] = ...,
            relevance: Literal["judged", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EFD: _EFD

class _GroupExposure(_fairness.GroupExposure):
    """Exposure of one group of items: its share of all attention.

        Σ_u Σ_r w(r) [item at r is of group g] / Σ_u Σ_r w(r),  w(r) = 1/log2(r+1)

    The share of all attention that goes to the items of one group.

    Use it to report how much the items of each provider, brand or gender are seen.

    Misleads: A fair share of attention is not a fair share of relevance; Disparity compares with a
    target.

    Examples
    --------
    Group x at rank 1, group y at rank 2.
    1 / 1.6309 = 0.6131 and 0.6309 / 1.6309 = 0.3868

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], groups=["x", "y"])
    >>> rm.evaluate(None, {"u": ["a", "b"]}, "GroupExposure@2", catalogue=items).mean
    {'GroupExposure(group=x)@2': 0.6131..., 'GroupExposure(group=y)@2': 0.3868...}

    References
    ----------
    Singh & Joachims, Fairness of exposure in rankings, KDD 2018
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            weight: Literal["log2", "geometric", "reciprocal", "equal"] = ..., p: float = ...,
            group: str | float | None = ..., unit: Literal["share", "ratio"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
GroupExposure: _GroupExposure

class _Disparity(_fairness.Disparity):
    """Disparity: how far the exposure of the groups is from a target.

        (1/2) Σ_g |e_g - t_g|,  e exposure shares, t target shares

    How far the groups' shares of attention are from a target: their shares of the catalogue, of the
    interactions, of the relevant items, or equal shares.

    Use it to summarise exposure by group in one number, and state the target with it.

    Misleads: The target is a value judgment, and each target gives another number. Equal shares of
    attention suit few catalogues.

    Examples
    --------
    Exposure 0.6131 and 0.3869, target 0.5 and 0.5.
    (0.1131 + 0.1131) / 2 = 0.1131

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], groups=["x", "y"])
    >>> rm.evaluate(None, {"u": ["a", "b"]}, "Disparity@2", catalogue=items)["Disparity@2"]
    0.1131...

    References
    ----------
    Singh & Joachims, Fairness of exposure in rankings, KDD 2018; Sapiezynski et al., Quantifying the
    impact of user attention on fair group representation in ranked lists, FATES 2019
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            weight: Literal["log2", "geometric", "reciprocal", "equal"] = ..., p: float = ...,
            target: Literal["catalogue", "uniform", "history", "relevance"] = ...,
            distance: Literal["tv", "max", "kl", "ratio", "js"] = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Disparity: _Disparity

class _SegmentGap(_fairness.SegmentGap):
    """Gap between user segments: how much better some segments of users are served than others.

        mean over pairs of segments of |mean_s - mean_t| of a measure

    How much better some segments of users are served than others, by any measure of accuracy. The
    segments are those of by=, the first of several; rankmeter.Slices.gap adds an interval and the null
    distribution.

    Use it to see whether new, long-standing or unusual users are served worse than others.

    Misleads: Chance alone makes a gap above 0, which grows with the number of segments: compare it with
    its permutation null.

    Examples
    --------
    The mean RR is 1 in segment x and 0.5 in segment y.
    |1 - 0.5| = 0.5

    >>> import rankmeter as rm
    >>> truth, lists = {1: ["a"], 2: ["a"], 3: ["a"]}, {1: ["a"], 2: ["a", "b"], 3: ["b", "a"]}
    >>> rm.evaluate(truth, lists, "SegmentGap(of=RR)", by={1: "x", 2: "x", 3: "y"})["SegmentGap(of=RR)"]
    0.5

    References
    ----------
    Deldjoo et al., A flexible framework for evaluating user and item fairness in recommender systems,
    UMUAI 31, 2021
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., of: str | float = ...,
            gap: Literal["mad", "range"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SegmentGap: _SegmentGap

class _AWRF(_fairness.AttentionWeightedFairness):
    """Attention-weighted rank fairness: how near the exposure of the groups in each list is to a target.

        1 - JS(e, t),  e exposure shares of the groups in a list, t target shares

    How near the groups' shares of attention in each list are to a target, averaged over lists: 1 less
    the Jensen-Shannon divergence. Disparity puts all lists together first, so that one list may make up
    for another; here each must be fair by itself. The paper weighs places as this does; which distance
    is taken is an option.

    Use it when every user should see all groups, as in a search for people or businesses.

    Misleads: A short list can hardly be near any target. Items without a group do not count, and a list
    of such items alone has no value. With target=relevance the target is that of the list's own user.

    Examples
    --------
    A list a b c with groups x x y, all places of equal weight; the catalogue is half x, half y.
    Shares 2/3 and 1/3 against 1/2 and 1/2: total variation 1/6, so 1 - 1/6 = 0.8333; by Jensen-Shannon 0.9792.

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c", "d"], groups=["x", "x", "y", "y"])
    >>> asked = ["AWRF(distance=tv,weight=equal)@3", "AWRF(weight=equal)@3"]
    >>> rm.evaluate(None, {"u": ["a", "b", "c"]}, asked, catalogue=items).mean
    {'AWRF(distance=tv,weight=equal)@3': 0.8333..., 'AWRF(weight=equal)@3': 0.9792...}

    References
    ----------
    Sapiezynski et al., Quantifying the impact of user attention on fair group representation in ranked
    lists, FATES 2019
    """
    def __call__(self, *, aggregate: Literal["mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            weight: Literal["log2", "geometric", "reciprocal", "equal"] = ..., p: float = ...,
            target: Literal["catalogue", "uniform", "history", "relevance"] = ...,
            distance: Literal["js", "tv", "max"] = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
AWRF: _AWRF

class _JointExposure(_fairness.JointExposure):
    """Joint multisided exposure: how far items or their groups are exposed from what is fair to users, each or all.

        (1/(|U| |D|)) Σ_u Σ_d (ε_ud - ε*_ud)²

    The mean square of what is exposed too much or too little. The exposure ε of an item to a user is
    the weight of its rank; the target ε* gives the relevant items of a user equal shares of the first
    places, and other items nothing. Users and items are looked at one by one (II-F of the paper), items
    by group (IG-F, items=group), all users together (AI-F, users=all), or both (AG-F). The paper's GI-F
    and GG-F, by group of users, are not there.

    Use it to see on which level a system is unfair: it may serve each user badly and still show every
    item as often as it should.

    Misleads: Nearly all of a large catalogue is neither shown nor relevant, so values are tiny and
    comparable for one catalogue only. The authors' code begins with the weight p at rank 1, not 1: its
    values are p² times these.

    Examples
    --------
    u wants a and sees b a, v wants b and sees a b; p = 0.5. For u: a gets 0.5 - 1, b gets 1 - 0; for v the other way round.
    Each alone: (0.25 + 1 + 1 + 0.25) / 4 = 0.625. All users together: a and b get (1 - 0.5)/2 = 0.25 too much each, 0.25² = 0.0625.

    >>> import rankmeter as rm
    >>> truth, lists = {"u": ["a"], "v": ["b"]}, {"u": ["b", "a"], "v": ["a", "b"]}
    >>> asked = ["JointExposure(p=0.5)", "JointExposure(p=0.5,users=all)"]
    >>> rm.evaluate(truth, lists, asked, catalogue=["a", "b"]).mean
    {'JointExposure(p=0.5)': 0.625, 'JointExposure(p=0.5,users=all)': 0.0625}

    References
    ----------
    Wu, Mitra, Ma, Diaz & Liu, Joint multisided exposure fairness for recommendation, SIGIR 2022
    """
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., users: Literal["each", "all"] = ...,
            items: Literal["each", "group"] = ..., weight: Literal["geometric", "log2", "reciprocal", "equal"] = ...,
            p: float = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
JointExposure: _JointExposure

class _Revenue(_value.Revenue):
    """Revenue at k: the value of the relevant items within the first k places.

        Revenue@k = Σ_{i≤k} [relevant] v_i

    What the relevant items within the first k places are worth, averaged over users. An item without a
    value in the catalogue counts 0, with a note.

    Use it to translate hits into money: a hit on an expensive item counts more.

    Misleads: What would have been bought anyway counts too: it is revenue within reach, not revenue
    caused.

    Examples
    --------
    u's list contains a relevant item worth 10, v's one worth 2.5.
    (10 + 2.5) / 2 = 6.25

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], values=[10, 2.5])
    >>> rm.evaluate({"u": ["a"], "v": ["b"]}, {"u": ["b", "a"], "v": ["b"]}, "Revenue@2", catalogue=items)["Revenue@2"]
    6.25
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., discount: Literal["none", "log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Revenue: _Revenue

class _Margin(_value.Margin):
    """Margin at k: what is earned with the relevant items within the first k places.

        Margin@k = Σ_{i≤k} [relevant] g_i

    The margin on the relevant items within the first k places, averaged over users; it may be negative.

    Use it when revenue hides that some items are sold at a loss.

    Misleads: As for revenue; a margin before discounts and returns is another number.

    Examples
    --------
    Margins 4 and -1, both items found.
    4 - 1 = 3.0

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], margins=[4, -1])
    >>> rm.evaluate({"u": ["a", "b"]}, {"u": ["b", "a"]}, "Margin@2", catalogue=items)["Margin@2"]
    3.0
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., discount: Literal["none", "log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Margin: _Margin

class _ValueNDCG(_value.ValueNDCG):
    """Value-weighted nDCG: the gain of an item is its grade times its value.

        Σ_{i≤k} g(r_i) v_i / log2(i+1), divided by its largest possible value

    nDCG in which the gain of an item is its grade times its value: expensive relevant items belong
    first. The ideal list contains all relevant items of the user, the highest gain first; items judged
    below rel gain nothing.

    Use it when the order among relevant items matters for revenue.

    Misleads: One expensive item outweighs many good cheap ones. The users who buy it dominate the mean.

    Examples
    --------
    Values 1 and 3 in this order, both relevant.
    (1 + 3 * 0.6309) / (3 + 1 * 0.6309) = 0.7967

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], values=[1, 3])
    >>> rm.evaluate({"u": ["a", "b"]}, {"u": ["a", "b"]}, "ValueNDCG@2", catalogue=items)["ValueNDCG@2"]
    0.7967...

    References
    ----------
    Järvelin & Kekäläinen, TOIS 20(4), 2002, with gains weighted by value
    """
    def __call__(self, *, aggregate: Literal["mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., gain: Literal["linear", "exp2", "binary"] = ...,
            discount: Literal["log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ValueNDCG: _ValueNDCG

class _ValueHitRate(_value.ValueHitRate):
    """Value-weighted hit rate: the share of the value of all relevant items that stands within the first k places.

        Σ_u value of relevant items in the first k / Σ_u value of all relevant items

    Of the value of all relevant items, the share that is found within the first k places. With one
    held-out item per user it is the hit rate in which a hit counts by its value; aggregate=mean
    averages the share of each user instead.

    Use it with one held-out purchase per user: it is the share of sales that was recommended.

    Misleads: A few expensive items decide it.

    Examples
    --------
    Held-out items worth 10 and 2; the first is found.
    10/12 = 0.8333

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b"], values=[10, 2])
    >>> truth, lists = {"u": ["a"], "v": ["b"]}, {"u": ["a"], "v": ["a"]}
    >>> rm.evaluate(truth, lists, "ValueHitRate@1", catalogue=items)["ValueHitRate@1"]
    0.8333...
    """
    def __call__(self, *, aggregate: Literal["pooled", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ValueHitRate: _ValueHitRate

class _ShortLists(_listquality.ShortLists):
    """Short lists: the share of the lists that have fewer than k items.

        |{u : |L_u| < k}| / |U|

    The share of the lists that have fewer than k items. Without a cutoff k is the length of the longest
    list. With queries=judged a judged user without any list counts as a short one.

    Use it before comparing systems at k: short lists waste places.

    Misleads: It does not say how short they are.

    Examples
    --------
    Lists of 2 and 1 items, k = 2.
    1/2 = 0.5

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "b"], "v": ["a"]}, "ShortLists@2")["ShortLists@2"]
    0.5
    """
    def __call__(self, *, aggregate: Literal["mean", "sum"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ShortLists: _ShortLists

class _DuplicateItems(_listquality.DuplicateItems):
    """Duplicates: the share of the first k places that repeat an item from above in the same list.

        (n - |different items|) / n

    The share of the first k places that repeat an item from above in the same list.

    Use it to find broken lists; other measures refuse them unless told what to do.

    Misleads: The same product under two ids goes unnoticed.

    Examples
    --------
    List a b a c.
    1/4 = 0.25

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "b", "a", "c"]}, "DuplicateItems@4")["DuplicateItems@4"]
    0.25
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scale: Literal["repeated", "different"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
DuplicateItems: _DuplicateItems

class _SeenItems(_listquality.SeenItems):
    """Seen items: the share of the first k places that hold items the user took before.

        |L_u ∩ H_u| / |L_u|

    The share of the first k places that hold items the user took before.

    Use it to find recommenders that fail to exclude known items.

    Misleads: If repeated use is the point (music, groceries) it is not a fault. RePlay's novelty is one
    minus it.

    Examples
    --------
    History a; list a b.
    1/2 = 0.5

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "b"]}, "SeenItems@2", history={"u": ["a"]})["SeenItems@2"]
    0.5
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scale: Literal["seen", "unseen"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SeenItems: _SeenItems

class _OutsideCatalogue(_listquality.OutsideCatalogue):
    """Items outside the catalogue: the share of the first k places that cannot be served.

        |L_u \\ catalogue| / |L_u|

    The share of the first k places that hold items outside the catalogue. They cannot be served.

    Use it to find stale models that recommend what is no longer on offer.

    Misleads: A stale catalogue looks the same.

    Examples
    --------
    Catalogue a b; list a z.
    1/2 = 0.5

    >>> import rankmeter as rm
    >>> rm.evaluate(None, {"u": ["a", "z"]}, "OutsideCatalogue@2", catalogue=["a", "b"])["OutsideCatalogue@2"]
    0.5
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
OutsideCatalogue: _OutsideCatalogue

class _Q(_blended.QMeasure):
    """Q-measure: average precision for grades, with the blended ratio in place of precision.

        Q@k = (1/min(R, k)) Σ_{r≤k, g_r>0} B(r),  B(r) = (C(r) + β G(r)) / (r + β G*(r))

    Average precision for grades: at the rank of each item with a gain the blended ratio is read in
    place of precision, and summed over R or min(R, k) items. The blended ratio at rank r is (C(r) +
    beta G(r)) / (r + beta G*(r)): C(r) hits and the gain G(r) of the first r items, against r and the
    gain G*(r) of the first r items of the ideal list. With beta = 0 it is average precision.

    Use it where AP would be used and relevance has grades; NTCIR tasks report it.

    Misleads: beta and the gains change every value and are seldom stated. With a cutoff NTCIREVAL
    divides by min(R, k), where AP of trec_eval divides by R; norm=relevant does that.

    Examples
    --------
    Grades in ranked order: 1, 0, 3; the ideal list is 3, 1, 0; beta = 1.
    rank 1: (1 + 1) / (1 + 3) = 0.5; rank 3: (2 + 4) / (3 + 4) = 0.857143
    Q = (0.5 + 0.857143) / 2 = 0.678571

    >>> import rankmeter as rm
    >>> rm.value("Q", grades=[1, 0, 3]), rm.value("Q(beta=0)", grades=[1, 0, 3]), rm.value("AP", grades=[1, 0, 3])
    (0.678571..., 0.833333..., 0.833333...)

    References
    ----------
    Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            beta: float = ..., norm: Literal["capped", "relevant"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Q: _Q

class _OMeasure(_blended.OMeasure):
    """O-measure: the blended ratio at the first item with a gain.

        O = B(r_1),  r_1 = min {r: g_r > 0},  B(r) = (C(r) + β G(r)) / (r + β G*(r))

    Reciprocal rank for grades: the blended ratio at the rank of the first item with a gain. The blended
    ratio at rank r is (C(r) + beta G(r)) / (r + beta G*(r)): C(r) hits and the gain G(r) of the first r
    items, against r and the gain G*(r) of the first r items of the ideal list. With beta = 0 it is the
    reciprocal rank.

    Use it where one answer is enough and better answers should count more.

    Misleads: It stops at the first item with a gain, however small that is: a poor item above a good
    one costs the good one its credit. P-plus looks on.

    Examples
    --------
    Grades in ranked order: 0, 1, 3; the ideal list is 3, 1, 0; beta = 1.
    The first item with a gain stands at rank 2: (1 + 1) / (2 + 4) = 0.333333

    >>> import rankmeter as rm
    >>> rm.value("OMeasure", grades=[0, 1, 3]), rm.value("RR", grades=[0, 1, 3])
    (0.333333..., 0.5)

    References
    ----------
    Sakai, On the properties of evaluation metrics for finding one highly relevant document, IPSJ
    Digital Courier 3, 2007
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            beta: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
OMeasure: _OMeasure

class _PMeasure(_blended.PMeasure):
    """P-measure: the blended ratio at the best item of the list.

        P = B(r_p),  r_p = min {r: g_r = max g},  B(r) = (C(r) + β G(r)) / (r + β G*(r))

    The blended ratio at the rank where a reader stops who wants the best item of the list: the first
    with its highest gain. The blended ratio at rank r is (C(r) + beta G(r)) / (r + beta G*(r)): C(r)
    hits and the gain G(r) of the first r items, against r and the gain G*(r) of the first r items of
    the ideal list.

    Use it for finding one highly relevant item.

    Misleads: The best item is that of the list, not of all judged items: a list without any good item
    can do well. What stands above counts as if it were read gladly.

    Examples
    --------
    Grades in ranked order: 0, 1, 3; the ideal list is 3, 1, 0; beta = 1.
    The best item stands at rank 3: (2 + 4) / (3 + 4) = 0.857143

    >>> import rankmeter as rm
    >>> rm.value("PMeasure", grades=[0, 1, 3])
    0.857142...

    References
    ----------
    Sakai, On the properties of evaluation metrics for finding one highly relevant document, IPSJ
    Digital Courier 3, 2007
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            beta: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PMeasure: _PMeasure

class _PPlus(_blended.PPlus):
    """P-plus: the blended ratio averaged over the items with a gain down to the best item of the list.

        P+ = (1/C(r_p)) Σ_{r≤r_p, g_r>0} B(r),  r_p = min {r: g_r = max g},  B(r) = (C(r) + β G(r)) / (r
        + β G*(r))

    The blended ratio averaged over the items with a gain down to the best item of the list, where a
    reader stops: P-measure that also looks at what stands above. The blended ratio at rank r is (C(r) +
    beta G(r)) / (r + beta G*(r)): C(r) hits and the gain G(r) of the first r items, against r and the
    gain G*(r) of the first r items of the ideal list.

    Use it for finding one highly relevant item; NTCIR's web tasks report it beside Q and nERR.

    Misleads: The best item is that of the list, not of all judged items: a list without any good item
    can do well.

    Examples
    --------
    Grades in ranked order: 0, 1, 3; the ideal list is 3, 1, 0; beta = 1.
    rank 2: (1 + 1) / (2 + 4) = 0.333333; rank 3: (2 + 4) / (3 + 4) = 0.857143
    P+ = (0.333333 + 0.857143) / 2 = 0.595238

    >>> import rankmeter as rm
    >>> rm.value("PPlus", grades=[0, 1, 3])
    0.595238...

    References
    ----------
    Sakai, On the properties of evaluation metrics for finding one highly relevant document, IPSJ
    Digital Courier 3, 2007
    """
    def __call__(self, *, aggregate: Literal["mean", "geometric", "sum", "median", "p90", "variance", "filled"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] | None = ...,
            cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed", "worst", "best"] = ...,
            scores: Literal["float64", "float32"] = ..., sign: Literal["ignored", "positive"] = ...,
            itself: Literal["kept", "removed"] = ..., unjudged: Literal["nonrelevant", "removed", "nan"] = ...,
            negative: Literal["unjudged", "nonrelevant"] = ..., candidates: Literal["all", "list", "appended"] = ...,
            empty: Literal["zero", "one", "nan", "skip", "silent"] = ..., miss: Literal["zero", "skip"] = ...,
            blank: Literal["counted", "nan", "skip"] = ..., depth: int | None = ..., digits: int | None = ...,
            gain: Literal["linear", "exp2", "binary"] | Mapping[float, float] = ..., rel: float | None = ...,
            beta: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PPlus: _PPlus

class _CatalogueAccuracy(_decisions.CatalogueAccuracy):
    """Accuracy over the catalogue: the share of all items that are rightly shown or rightly left out.

        (TP + TN) / n

    Of all n items of the catalogue, the share about which the list decided rightly: shown and relevant
    (TP), or not shown and not relevant (TN). Items outside the catalogue do not count.

    Use it only to compare with a tool that reports it.

    Misleads: Nearly every item is rightly not shown, so that an empty list of a large catalogue scores
    close to 1. Use precision and recall, or MCC.

    Examples
    --------
    Catalogue a to e; shown a b, relevant a c. Right are a (shown), d and e (not shown).
    (1 + 2) / 5 = 0.6000

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c", "d", "e"])
    >>> asked = "CatalogueAccuracy@2"
    >>> rm.evaluate({"u": ["a", "c"]}, {"u": ["a", "b"]}, asked, catalogue=items)[asked]
    0.6
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., shown: Literal["list", "k"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CatalogueAccuracy: _CatalogueAccuracy

class _MCC(_decisions.MatthewsCorrelation):
    """Matthews correlation coefficient: the correlation of being shown with being relevant, over the catalogue.

        (TP TN - FP FN) / √((TP + FP) (TP + FN) (TN + FP) (TN + FN))

    The correlation, over the items of the catalogue, of being shown with being relevant: 1 if just the
    relevant items are shown, 0 as for a random choice, -1 if all others are. TP and FP are the items
    shown that are and are not relevant, FN and TN those not shown. Where a factor under the root is 0,
    the value is 0.

    Use it instead of accuracy when a list is a choice without an order.

    Misleads: The order of the list does not count. With few relevant items and a large k it is low even
    for the best list, as the rest of the list is wrong.

    Examples
    --------
    Catalogue a to e; shown a b, relevant a c: TP = 1, FP = 1, FN = 1, TN = 2.
    (1 · 2 - 1 · 1) / √(2 · 2 · 3 · 3) = 1/6 = 0.16667

    >>> import rankmeter as rm
    >>> items = rm.Catalogue(items=["a", "b", "c", "d", "e"])
    >>> rm.evaluate({"u": ["a", "c"]}, {"u": ["a", "b"]}, "MCC@2", catalogue=items)["MCC@2"]
    0.166666...

    References
    ----------
    Matthews, Comparison of the predicted and observed secondary structure of T4 phage lysozyme,
    Biochimica et Biophysica Acta 405(2), 1975
    """
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., shown: Literal["list", "k"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
MCC: _MCC

class _CTR(_online_measures.ClickThroughRate):
    """Click-through rate: how often what was shown was clicked.

        CTR = clicks / impressions, both summed over users

    How often what was shown was clicked. Four quantities share this name: clicks over impressions,
    requests with a click over requests, the mean of the users' own rates, and users with a click over
    users with an impression; the option per chooses.

    Use it per request for search, where one click is success, and per impression for lists in which
    several items are wanted; at k and by position to compare layouts.

    Misleads: Heavy users dominate the rate per impression, and a test on impressions finds differences
    that are not there when users were randomised. Lists of different length are not comparable: use
    CTR@k. A click is not satisfaction. On one log the four quantities can differ by a factor of three.

    Examples
    --------
    One user sees 10 items and clicks 1, another sees 2 and clicks 1.
    Per impression: (1 + 1) / (10 + 2) = 0.1667
    Per user: (1/10 + 1/2) / 2 = 0.3000
    Reach: 2 of 2 users clicked = 1

    >>> import rankmeter as rm
    >>> seen = [{"time": 0, "user": "u", "item": item, "type": "impression"} for item in range(10)]
    >>> seen += [{"time": 0, "user": "v", "item": item, "type": "impression"} for item in range(2)]
    >>> clicks = [{"time": 9, "user": user, "item": 1, "type": "click"} for user in ("u", "v")]
    >>> found = rm.online.evaluate(seen + clicks, ["CTR", "CTR(per=user)", "CTR(per=reach)"])
    >>> found["CTR"], found["CTR(per=user)"], found["CTR(per=reach)"]
    (0.1666..., 0.3, 1.0)
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            per: Literal["impression", "request", "user", "reach"] = ...,
            clicks: Literal["once", "all", "request"] = ..., impressions: Literal["once", "all"] = ...,
            orphans: Literal["drop", "keep"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CTR: _CTR

class _CVR(_online_measures.ConversionRate):
    """Conversion rate: how often a click (a session, a user) led to a conversion.

        CVR = clicks that a conversion is credited to / clicks

    How often a click led to a conversion. Each conversion is credited to the last click of the same
    user on the same item within 24 hours before it, unless the options state otherwise. Per session or
    per user it is the share of sessions or users with a conversion.

    Use it to see whether clicks are worth something; per user if users were randomised.

    Misleads: Clicks come after the change that is tested: a ranking that makes more people click can
    lower the rate and sell more. Conversions per user are always shown beside it, and they decide.
    Recent clicks have had less time to convert.

    Examples
    --------
    A user clicks a, b and c and buys b within the day: 1 of 3 clicks is credited.
    CVR = 1/3 = 0.3333
    A second user clicks 5 items and buys nothing: CVR = 1/8 = 0.1250, conversions per user 1/2

    >>> import rankmeter as rm
    >>> clicks = [{"time": 0, "user": "u", "item": item, "type": "click"} for item in "abc"]
    >>> bought = [{"time": 60, "user": "u", "item": "b", "type": "purchase"}]
    >>> rm.online.evaluate(clicks + bought, ["CVR"])["CVR"]
    0.3333...
    >>> clicks += [{"time": 0, "user": "v", "item": item, "type": "click"} for item in "abcde"]
    >>> found = rm.online.evaluate(clicks + bought, ["CVR", "Conversions"])
    >>> found["CVR"], found["Conversions"]
    (0.125, 0.5)
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., per: Literal["click", "session", "user"] = ...,
            window: float | None = ..., item: Literal["same", "any"] = ...,
            credit: Literal["last", "first", "all", "even"] = ..., count: Literal["clicks", "conversions"] = ...,
            maturity: Literal["all", "mature"] = ..., clicks: Literal["once", "all", "request"] = ...,
            orphans: Literal["drop", "keep"] = ...) -> Self: ...
CVR: _CVR

class _Conversions(_online_measures.Conversions):
    """Conversions per user (per session, per impression).

        Conversions = conversions / users

    How many conversions a user makes on average, or with the option per, how many a session or an
    impression leads to. Per impression it is the product of CTR and conversions per click.

    Use it as the number that decides an experiment on clicks and sales: its denominator does not depend
    on the change.

    Misleads: A few users with many conversions dominate it; the share of users with a conversion,
    CVR(per=user), shows whether more people convert.

    Examples
    --------
    Three users make 2, 0 and 0 conversions: 2/3 = 0.6667; the share of users who convert is 1/3 = 0.3333

    >>> import rankmeter as rm
    >>> log = [{"time": 0, "user": user, "type": "click"} for user in "uvw"]
    >>> log += [{"time": time, "user": "u", "type": "conversion"} for time in (1, 2)]
    >>> found = rm.online.evaluate(log, ["Conversions", "CVR(per=user)"])
    >>> found["Conversions"], found["CVR(per=user)"]
    (0.6666..., 0.3333...)
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., per: Literal["user", "session", "impression"] = ...,
            impressions: Literal["once", "all"] = ...) -> Self: ...
Conversions: _Conversions

class _Value(_online_measures.Value):
    """The value of conversions per user (per session, per conversion).

        Value = sum of the values of conversions / users

    The value of conversions (revenue, say) that a user brings on average, or with the option per, a
    session or a conversion. A conversion without a value counts 0.

    Use it when conversions differ in value.

    Misleads: One very large order moves the mean; state a cap before looking at the data. Currencies
    must be the same throughout.

    Examples
    --------
    Orders of 10 and 50 by one user, none by another: 60/2 = 30 per user
    with cap=20: (10 + 20)/2 = 15; per conversion: 60/2 = 30

    >>> import rankmeter as rm
    >>> log = [
    ...     {"time": 0, "user": "u", "type": "purchase", "value": 10.0},
    ...     {"time": 1, "user": "u", "type": "purchase", "value": 50.0},
    ...     {"time": 2, "user": "v", "type": "click", "value": None},
    ... ]
    >>> found = rm.online.evaluate(log, ["Value", "Value(cap=20)", "Value(per=conversion)"])
    >>> found["Value"], found["Value(cap=20)"], found["Value(per=conversion)"]
    (30.0, 15.0, 30.0)
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., winsor: float | None = ..., trim: float | None = ...,
            quantile: float | None = ..., per: Literal["user", "session", "conversion"] = ..., cap: float | None = ...,
            refunds: Literal["keep", "drop"] = ...) -> Self: ...
Value: _Value

class _SessionDuration(_online_measures.SessionDuration):
    """Average session duration in seconds: from the first to the last event of a session.

        SessionDuration = sum over sessions of (last event - first event) / sessions, in seconds

    The mean time in seconds from the first to the last event of a session. Without a session id, a
    session ends when 30 minutes or more pass without an event, or 24 hours after its start.

    Use it when time spent is a goal (reading, watching), and state which direction is better
    (better=higher, or better=lower in search and support); otherwise a difference is only called higher
    or lower.

    Misleads: The time on the last page is lost, and sessions of one event last 0 seconds: their share
    is always reported. Longer is not better by itself: good search shortens sessions. Heartbeats and
    open tabs lengthen them.

    Examples
    --------
    Events at 0, 60 and 4000 seconds: sessions of 60 and 0 seconds
    mean (60 + 0)/2 = 30; with zeros=drop 60; one of two sessions has no length

    >>> import rankmeter as rm
    >>> log = [{"time": t, "user": "u", "type": "click"} for t in (0, 60, 4000)]
    >>> found = rm.online.evaluate(log, ["SessionDuration", "SessionDuration(zeros=drop)"])
    >>> found["SessionDuration"], found["SessionDuration(zeros=drop)"]
    (30.0, 60.0)
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., winsor: float | None = ..., trim: float | None = ...,
            quantile: float | None = ..., per: Literal["session", "user"] = ..., zeros: Literal["keep", "drop"] = ...,
            cap: float | None = ..., better: Literal["unstated", "higher", "lower"] = ...) -> Self: ...
SessionDuration: _SessionDuration

class _EngagedSessions(_online_measures.EngagedSessions):
    """The share of sessions that are engaged: long enough, with enough requests, or with a conversion.

        EngagedSessions = sessions longer than 10 s, or with 2 requests or more, or with a conversion /
        sessions

    The share of sessions that last more than 10 seconds, or have two or more requests, or a conversion.
    The rest are bounces.

    Use it beside the session duration, which a few long sessions dominate.

    Misleads: Every part of the rule is a convention of web analytics; compare only numbers made by the
    same rule.

    Examples
    --------
    Four sessions: 0 s with 1 request, 5 s with 3 requests, 60 s with 1 request, 0 s with a conversion
    engaged: 3 of 4 = 0.7500

    >>> import rankmeter as rm
    >>> log = [
    ...     {"time": time, "user": user, "request": request, "type": kind}
    ...     for user, time, request, kind in [
    ...         ("a", 0, "a1", "click"),
    ...         ("b", 0, "b1", "click"), ("b", 2, "b2", "click"), ("b", 5, "b3", "click"),
    ...         ("c", 0, "c1", "click"), ("c", 60, "c1", "click"),
    ...         ("d", 0, "d1", "conversion"),
    ...     ]
    ... ]
    >>> rm.online.evaluate(log, ["EngagedSessions"])["EngagedSessions"]
    0.75
    """
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., seconds: float = ..., views: int = ...) -> Self: ...
EngagedSessions: _EngagedSessions

class _sDCG(_searches_measures.SessionDCG):
    """Session DCG: the DCG of each call, discounted by the number of the call.

        sDCG@k = sum over calls q and ranks i <= k of  gain / (log_b(i + b - 1) * (1 + log_bq(q)))

    The DCG of every search that was made for one question, each divided by a discount that grows with
    the number of the search: what is found late is worth less. A relevant item counts each time that it
    is returned, unless repeats=once.

    Use it to compare agents or people who search several times for one question, when both the rank and
    the number of searches matter.

    Misleads: More searches can only add, so that a system that repeats a good list forever gains;
    repeats=once, or nsDCG, does not reward that. The two discounts of calls in use, of Järvelin (2008)
    and of Kanoulas (2011), differ from the second search on.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    Call 1: 2 / 1 = 2. Call 2 is divided by 1 + log4(2) = 1.5: 1 / 1.5 = 0.67 and 2 / (log2(3) * 1.5) = 0.84.
    sDCG = 3.51; at k = 1 2.67; with repeats=once a counts in call 1 alone: 2.67

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(judgments, agent, ["sDCG", "sDCG@1", "sDCG(repeats=once)"]).mean
    {'sDCG': 3.507..., 'sDCG@1': 2.666..., 'sDCG(repeats=once)': 2.666...}

    References
    ----------
    Järvelin, Price, Delcambre and Nielsen, Discounted Cumulated Gain Based Evaluation of Multiple-Query
    IR Sessions, ECIR 2008
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            cutoff: int | None = ..., b: float = ..., bq: float = ..., gain: Literal["linear", "exp2"] = ...,
            discount: Literal["jarvelin", "kanoulas"] = ..., repeats: Literal["counted", "once"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
sDCG: _sDCG

class _nsDCG(_searches_measures.NormalisedSessionDCG):
    """Normalised session DCG: sDCG divided by that of an ideal session with as many calls.

        nsDCG@k = sDCG@k / (sDCG@k of the ideal session with as many calls)

    Session DCG divided by that of an ideal session with as many searches. Under ideal=each every search
    returns the best list, as in the implementations of Kanoulas and others; under ideal=once each item
    gains once and stands where the discount is least.

    Use it to average questions with different numbers of relevant items. State ideal: the two are
    different numbers.

    Misleads: The ideal has as many searches as were made, so that a session of one perfect search and
    one of two perfect searches both get 1: how few searches were needed is not seen. Under ideal=each
    an agent that finds every item exactly once cannot reach 1.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    sDCG = 3.51. The ideal list 2, 1, 1 has DCG 3.13; in both calls 3.13 * (1 + 1 / 1.5) = 5.22.
    nsDCG = 3.51 / 5.22 = 0.67. With ideal=once,repeats=once: 2.67 over 2 / 1 + 1 / 1.5 * 1 + 1 / 1.58 = 3.30, hence 0.81

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(judgments, agent, ["nsDCG", "nsDCG(ideal=once,repeats=once)"]).mean
    {'nsDCG': 0.672..., 'nsDCG(ideal=once,repeats=once)': 0.808...}

    References
    ----------
    Kanoulas, Carterette, Clough and Sanderson, Evaluating Multi-Query Sessions, SIGIR 2011
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            cutoff: int | None = ..., b: float = ..., bq: float = ..., gain: Literal["linear", "exp2"] = ...,
            discount: Literal["jarvelin", "kanoulas"] = ..., repeats: Literal["counted", "once"] = ...,
            ideal: Literal["each", "once"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
nsDCG: _nsDCG

class _sRBP(_searches_measures.SessionRBP):
    """Session rank-biased precision: a reader who goes on with probability p, down the list or to the next call.

        sRBP = (1 - p) * sum over calls q and ranks i of  rel * ((p - b p) / (1 - b p))^(q - 1) * (b
        p)^(i - 1)

    The chance that a reader who stops at a random moment looks at a relevant item. After each item the
    reader goes on with probability p; then down the list with probability b, and to the next search
    otherwise. With b=1 it is the RBP of the first search.

    Use it where a model of the reader is wanted that balances reading on against searching again. The
    defaults are those that the authors fitted to the sessions of the TREC Session track 2014 (b = 0.64,
    p = 0.86).

    Misleads: Grades count only as relevant or not. Short lists leave part of the sum out, as with RBP:
    values of sessions with one search cannot come near 1.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    b p = 0.55, and the next search has the factor (0.86 - 0.55) / 0.45 = 0.69.
    sRBP = 0.14 * (1 + 0.69 + 0.69 * 0.55) = 0.14 * 2.07 = 0.29; with b=1 only call 1 counts: 0.14

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(judgments, agent, ["sRBP", "sRBP(b=1)"]).mean
    {'sRBP': 0.289..., 'sRBP(b=1)': 0.14...}

    References
    ----------
    Lipani, Carterette and Yilmaz, From a User Model for Query Sessions to Session Rank Biased Precision
    (sRBP), ICTIR 2019
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            cutoff: int | None = ..., p: float = ..., b: float = ..., rel: float = ...,
            repeats: Literal["counted", "once"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
sRBP: _sRBP

class _SearchRecall(_searches_measures.SearchRecall):
    """Recall of all searches together, after so many calls or tokens.

        R@calls=c = (relevant items in the first c calls) / (all relevant items)

    The share of the relevant items that the searches for a question returned within a budget: so many
    calls, or so many tokens of returned text, or both. R@calls=2 and R@tokens=2000 are other spellings.
    Every returned item uses up its tokens, also one that was returned before; an item counts if all of
    it fits.

    Use it to compare agents at equal cost: what has been found when the context is full.

    Misleads: It does not see the order of what was found within the budget, and not whether the model
    that reads it can use it.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    All calls: a and b of a, b, c = 2 / 3 = 0.67. After call 1: a alone, 0.33

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(judgments, agent, ["SearchRecall", "R@calls=1"]).mean
    {'SearchRecall': 0.666..., 'SearchRecall(calls=1)': 0.333...}
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            calls: int | None = ..., tokens: int | None = ..., rel: float = ...) -> Self: ...
SearchRecall: _SearchRecall

class _ChainComplete(_searches_measures.ChainComplete):
    """Whether every hop that an answer needs was found: each subtopic, or each relevant item where there are none.

        ChainComplete = 1 if every needed hop was found, else 0;  with count=share: hops found / hops
        needed

    Whether the searches together found everything that an answer in several steps needs. A hop is a
    subtopic of the judgments, which any of its relevant items provides; without subtopics every
    relevant item is a hop of its own.

    Use it for questions of several hops, where half of the evidence answers nothing.

    Misleads: With judgments that are alternatives of each other, and no subtopics, it asks for all of
    them: then recall is meant.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    Hops a, b and c; c was not found: 0. With count=share 2 / 3 = 0.67

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(judgments, agent, ["ChainComplete", "ChainComplete(count=share)"]).mean
    {'ChainComplete': 0.0, 'ChainComplete(count=share)': 0.666...}
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            calls: int | None = ..., tokens: int | None = ..., rel: float = ...,
            count: Literal["all", "share"] = ...) -> Self: ...
ChainComplete: _ChainComplete

class _CallsNeeded(_searches_measures.CallsNeeded):
    """The first call with a relevant item: 1 over its number, or the number itself.

        CallsNeeded = 1 / (number of the first call with a relevant item);  0 if there is none

    How soon any search returned something relevant: 1 over the number of the first call with a hit, 0
    without one. With report=number the number itself, averaged over questions that have a hit.

    Use it to see how many searches an agent needs before it has something to go on.

    Misleads: The number leaves out questions without a hit, so that a system that gives up on hard
    questions looks quicker; the reciprocal does not. One relevant item may not be enough for an answer.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    Call 1 holds a: 1 / 1 = 1, and the number is 1

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(judgments, agent, ["CallsNeeded", "CallsNeeded(report=number,rel=2)"]).mean
    {'CallsNeeded': 1.0, 'CallsNeeded(rel=2,report=number)': 1.0}
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            rel: float = ..., report: Literal["reciprocal", "number"] = ...) -> Self: ...
CallsNeeded: _CallsNeeded

class _CallRepeats(_searches_measures.CallRepeats):
    """The share of what later calls returned that an earlier call had returned already; lower is better.

        CallRepeats = (items of calls 2, 3, ... that an earlier call returned) / (items of calls 2, 3,
        ...)

    The share of the items of all calls after the first that an earlier call had returned already. It
    needs no judgments; one call alone has 0.

    Use it to see what searching again costs without bringing anything new: tokens and time.

    Misleads: Few repeats are not good by themselves: a search that goes astray repeats nothing.

    Examples
    --------
    Judged a 2, b 1, c 1; call 1 returned a, x, call 2 returned b, a.
    Call 2 returned b and a; a was there before: 1 / 2 = 0.5

    >>> import rankmeter as rm
    >>> judgments, agent = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": [["a", "x"], ["b", "a"]]}
    >>> rm.evaluate(None, agent, "CallRepeats").mean
    {'CallRepeats': 0.5}
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            empty: Literal["zero", "skip"] = ...) -> Self: ...
CallRepeats: _CallRepeats

class _EE_L(_searches_measures.ExposureLoss):
    """Expected exposure loss: how far the exposure of items is from that of a fair ideal; lower is better.

        EE-L = Σ_d (ε_d - ε*_d)²

    The squared distance between the exposure of each item, ε, averaged over the rankings that were
    sampled for a question, and its exposure ε* under a fair ideal, in which all relevant items are
    equally likely to stand first and no other item is seen. 0 is best. It is EE_D - 2 EE_R plus what
    the ideal alone gives. Each call of the run is one sampled ranking; a run with one list per query is
    a system that always answers the same.

    Use it when equally relevant items should be seen equally often over time, as with sellers or
    creators, and the system ranks at random or learns.

    Misleads: A system that always answers the same cannot reach 0 unless one item is relevant. Items
    that are not judged count as not relevant. Values grow with the number of relevant items, so compare
    them for the same questions only.

    Examples
    --------
    Relevant a and b; sampled a c b and c a; p = 0.5. Exposure of a (1 + 0.5)/2 = 0.75, of c 0.75, of b (0.25 + 0)/2 = 1/8.
    The ideal gives a and b (1 + 0.5)/2 = 0.75 each.
    EE-L = (0.75 - 0.75)² + (0.75 - 0)² + (1/8 - 0.75)² = 0.953125

    >>> import rankmeter as rm
    >>> judgments, sampled = {"q": ["a", "b"]}, {"q": [["a", "c", "b"], ["c", "a"]]}
    >>> rm.evaluate(judgments, sampled, ["EE_L(p=0.5)", "EE_D(p=0.5)", "EE_R(p=0.5)"]).mean
    {'EE_L(p=0.5)': 0.953125, 'EE_D(p=0.5)': 1.140625, 'EE_R(p=0.5)': 0.65625}

    References
    ----------
    Diaz, Mitra, Ekstrand, Biega & Carterette, Evaluating stochastic rankings with expected exposure,
    CIKM 2020
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            cutoff: int | None = ..., p: float = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EE_L: _EE_L

class _EE_D(_searches_measures.ExposureDisparity):
    """Expected exposure disparity: how unequally items are exposed; lower is better.

        EE-D = Σ_d ε_d²

    The sum of the squared exposures of items, averaged over the rankings that were sampled for a
    question: lowest when exposure is spread over as many items as possible, whatever they are worth.
    Relevance does not matter, but a question without a relevant item is treated as for the other
    measures.

    Use it beside EE_R: together they show what equal exposure costs in relevance.

    Misleads: Random answers have the best value of all.

    Examples
    --------
    Relevant a and b; sampled a c b and c a; p = 0.5. Exposure of a (1 + 0.5)/2 = 0.75, of c 0.75, of b (0.25 + 0)/2 = 1/8.
    The ideal gives a and b (1 + 0.5)/2 = 0.75 each.
    EE-D = 0.75² + 0.75² + (1/8)² = 1.140625

    >>> import rankmeter as rm
    >>> judgments, sampled = {"q": ["a", "b"]}, {"q": [["a", "c", "b"], ["c", "a"]]}
    >>> rm.evaluate(judgments, sampled, ["EE_L(p=0.5)", "EE_D(p=0.5)", "EE_R(p=0.5)"]).mean
    {'EE_L(p=0.5)': 0.953125, 'EE_D(p=0.5)': 1.140625, 'EE_R(p=0.5)': 0.65625}

    References
    ----------
    Diaz, Mitra, Ekstrand, Biega & Carterette, Evaluating stochastic rankings with expected exposure,
    CIKM 2020
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            cutoff: int | None = ..., p: float = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EE_D: _EE_D

class _EE_R(_searches_measures.ExposureRelevance):
    """Expected exposure relevance: how much of the exposure goes to items that are relevant.

        EE-R = Σ_d ε_d ε*_d

    The exposure of the relevant items, averaged over the rankings that were sampled for a question,
    each weighted by the exposure that a fair ideal would give it. Higher is better.

    Use it beside EE_D.

    Misleads: It does not see how the exposure is spread among the relevant items.

    Examples
    --------
    Relevant a and b; sampled a c b and c a; p = 0.5. Exposure of a (1 + 0.5)/2 = 0.75, of c 0.75, of b (0.25 + 0)/2 = 1/8.
    The ideal gives a and b (1 + 0.5)/2 = 0.75 each.
    EE-R = 0.75 · 0.75 + 1/8 · 0.75 = 0.65625

    >>> import rankmeter as rm
    >>> judgments, sampled = {"q": ["a", "b"]}, {"q": [["a", "c", "b"], ["c", "a"]]}
    >>> rm.evaluate(judgments, sampled, ["EE_L(p=0.5)", "EE_D(p=0.5)", "EE_R(p=0.5)"]).mean
    {'EE_L(p=0.5)': 0.953125, 'EE_D(p=0.5)': 1.140625, 'EE_R(p=0.5)': 0.65625}

    References
    ----------
    Diaz, Mitra, Ekstrand, Biega & Carterette, Evaluating stochastic rankings with expected exposure,
    CIKM 2020
    """
    def __call__(self, *, aggregate: Literal["mean"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., empty: Literal["zero", "skip"] = ...,
            cutoff: int | None = ..., p: float = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EE_R: _EE_R

AveragePopularity: _ARP
AverageRecommendationPopularity: _ARP
AvgRecPopularity: _ARP
BPref: _Bpref
CatalogCoverage: _Coverage
CatalogueCoverage: _Coverage
Diversity: _ILD
ExpectedFreeDiscovery: _EFD
ExpectedPopularityComplement: _EPC
F1: _F
GMAP: _AP
GiniIndex: _Gini
HR: _Success
Hit: _Success
HitRate: _Success
Hits: _NumRelRet
ILS: _ILD
IntraListDistance: _ILD
IntraListDiversity: _ILD
IntraListSimilarity: _ILD
ItemCoverage: _Coverage
LongTailShare: _TailShare
MAP: _AP
MRR: _RR
MeanInvUserFreq: _MIUF
MeanInverseUserFrequency: _MIUF
NDCG: _nDCG
Personalization: _Personalisation
Prec: _P
Precision: _P
RPrec: _Rprec
Recall: _R
SelfInformation: _Novelty
ShannonEntropy: _Entropy
TailPercentage: _TailShare
