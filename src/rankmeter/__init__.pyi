# Written by docs/tools/make_names.py: what an editor completes and a type checker checks.
# mypy: disable-error-code="override"
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from rankmeter.lists.catalogue import Catalogue as Catalogue
from rankmeter.comparing.results import Comparison as Comparison
from rankmeter.evaluating.result import Evaluation as Evaluation
from rankmeter.errors import InputError as InputError
from rankmeter.inputs.sources import Labelled as Labelled
from rankmeter.measures import Measure as Measure
from rankmeter.errors import MeasureError as MeasureError
from rankmeter.errors import MissingExtraError as MissingExtraError
from rankmeter.errors import NotFoundError as NotFoundError
from rankmeter.errors import RankmeterError as RankmeterError
from rankmeter.errors import RankmeterWarning as RankmeterWarning
from rankmeter.lists.slices import Slices as Slices
from rankmeter.comparing.advice import advise as advise
from rankmeter.inputs.arrays import arrays as arrays
from rankmeter.definitions.steps import between as between
from rankmeter.comparing.comparison import compare as compare
from rankmeter.judging.draws import draw as draw
from rankmeter.evaluating.verb import evaluate as evaluate
from rankmeter.judging.evidence_scores import evidence as evidence
from rankmeter.definitions.worked import explain as explain
from rankmeter.inputs.shards import files as files
from rankmeter.comparing.comparison import folds as folds
from rankmeter.report.judge_page import judge_page as judge_page
from rankmeter.judging.panel_agreement import judges as judges
from rankmeter.judging.click_grades import judgments_from_clicks as judgments_from_clicks
from rankmeter.judging.two_leaderboards import leaderboards as leaderboards
from rankmeter.compat.trackers import log_to_mlflow as log_to_mlflow
from rankmeter.compat.trackers import log_to_tensorboard as log_to_tensorboard
from rankmeter.compat.trackers import log_to_wandb as log_to_wandb
from rankmeter.arithmetic.custom import measure as measure
from rankmeter.judging.nugget_scores import nuggets as nuggets
from rankmeter.measures import parse as parse
from rankmeter.measures import parse_measures as parse_measures
from rankmeter.comparing.pooling import pool as pool
from rankmeter.placing.catalogue_ranking import rank_catalogue as rank_catalogue
from rankmeter.inputs.arrays import ranked_grades as ranked_grades
from rankmeter.placing.ranked_ids import ranked_ids as ranked_ids
from rankmeter.inputs.files import read_judgments as read_judgments
from rankmeter.inputs.labelled import read_labelled as read_labelled
from rankmeter.inputs.files import read_run as read_run
from rankmeter.definitions.reconcile import reconcile as reconcile
from rankmeter.inputs.passages import roll_up as roll_up
from rankmeter.scale.sampling import sampled as sampled
from rankmeter.scale.sampling import sampled_ranks as sampled_ranks
from rankmeter.definitions.score_tables import score_table as score_table
from rankmeter.comparing.comparison import seeds as seeds
from rankmeter.judging.abstention import silence as silence
from rankmeter.placing.tensors import tensors as tensors
from rankmeter.evaluating.verb import value as value
from rankmeter import online as online
from rankmeter.measures import counts as _counts
from rankmeter.measures import hits as _hits
from rankmeter.measures import order as _order
from rankmeter.measures import gains as _gains
from rankmeter.measures import incomplete as _incomplete
from rankmeter.measures import users as _users
from rankmeter.measures import historic as _historic
from rankmeter.measures import diversity as _diversity
from rankmeter.measures import coverage as _coverage
from rankmeter.measures import listdiversity as _listdiversity
from rankmeter.measures import novelty as _novelty
from rankmeter.measures import popularity as _popularity
from rankmeter.measures import taste as _taste
from rankmeter.measures import fairness as _fairness
from rankmeter.measures import value as _value
from rankmeter.measures import listquality as _listquality
from rankmeter.measures import online as _online

__version__: str

__all__ = ["ACLT", "advise", "AllRelevant", "alpha_DCG", "alpha_nDCG", "AP", "AP_IA", "APLT", "ARP", "arrays", "AUC",
    "AveragePopularity", "AverageRecommendationPopularity", "AvgRecPopularity", "between", "binG", "BPM", "BPref",
    "Bpref", "Calibration", "CatalogCoverage", "Catalogue", "CatalogueCoverage", "CategoryDiversity", "CategoryEntropy",
    "CG", "compare", "Comparison", "Compat", "Conversions", "Coverage", "CTR", "CVR", "DCG", "Disparity", "Diversity",
    "draw", "DuplicateItems", "EFD", "EngagedSessions", "Entropy", "EPC", "ERR", "ERR_IA", "evaluate", "Evaluation",
    "evidence", "ExpectedFreeDiscovery", "ExpectedPopularityComplement", "explain", "ExposureGini", "F", "F1", "files",
    "folds", "G", "Gini", "GiniIndex", "GMAP", "GroupExposure", "Hit", "HitRate", "Hits", "HR", "ILD", "ILS", "infAP",
    "InputError", "INSQ", "INST", "IntraListDistance", "IntraListDiversity", "IntraListSimilarity", "IPrec", "IPrecAvg",
    "ItemCoverage", "judge_page", "Judged", "judges", "judgments_from_clicks", "Labelled", "leaderboards",
    "log_to_mlflow", "log_to_tensorboard", "log_to_wandb", "LongTailShare", "MAP", "Margin", "MaxGrade",
    "MeanInverseUserFrequency", "MeanInvUserFreq", "MeanRank", "Measure", "measure", "MeasureError",
    "MissingExtraError", "MIUF", "MRR", "NDCG", "nDCG", "nDCGrel", "NERR10", "NERR11", "NERR8", "NERR9", "nERR_IA",
    "nNRBP", "NotFoundError", "Novelty", "NRBP", "nuggets", "NumNonrelRet", "NumQ", "NumRel", "NumRelRet", "NumRet",
    "online", "OutsideCatalogue", "P", "P_IA", "PairAccuracy", "parse", "parse_measures", "Personalisation",
    "Personalization", "pool", "PopREO", "PopRSP", "PopularityLift", "Prec", "Precision", "R", "rank_catalogue",
    "ranked_grades", "ranked_ids", "RankmeterError", "RankmeterWarning", "RBP", "RBPResidual", "read_judgments",
    "read_labelled", "read_run", "Recall", "reconcile", "Revenue", "RnDCG", "roll_up", "RPrec", "Rprec", "RR",
    "sampled", "sampled_ranks", "score_table", "SDCG", "seeds", "SeenItems", "SegmentGap", "SelfInformation",
    "Serendipity", "SessionDuration", "SetAP", "SetF", "SetP", "SetR", "ShannonEntropy", "ShortLists", "silence",
    "Slices", "StRecall", "Success", "TailPercentage", "TailShare", "tensors", "Unexpectedness", "Unjudged",
    "UserCoverage", "Utility", "Value", "value", "ValueHitRate", "ValueNDCG"]


class _NumQ(_counts.NumQueries):
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

class _CG(_gains.CumulatedGain):
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
    def __call__(self, *,
            aggregate: Literal["mean", "geometric", "sum", "pooled", "median", "p90", "variance", "filled"] = ...,
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
            discount: Literal["log2", "jk", "reciprocal"] = ...,
            ideal: Literal["judged", "list", "top", "uncut", "full", "length", "full-list"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
nDCG: _nDCG

class _RBP(_gains.RankBiasedPrecision):
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
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            of: Literal["catalogue", "history"] = ..., outside: Literal["ignored", "counted"] = ...,
            unit: Literal["share", "percent", "count"] = ..., padding: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Coverage: _Coverage

class _UserCoverage(_coverage.UserCoverage):
    def __call__(self, *, aggregate: Literal["mean", "sum"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            lists: Literal["any", "full"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
UserCoverage: _UserCoverage

class _Gini(_coverage.Gini):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            over: Literal["catalogue", "recommended", "history"] = ..., divisor: Literal["n", "n-1"] = ...,
            scale: Literal["inequality", "equality"] = ..., padding: int = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Gini: _Gini

class _ExposureGini(_coverage.ExposureGini):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            over: Literal["catalogue", "recommended", "history"] = ..., divisor: Literal["n", "n-1"] = ...,
            scale: Literal["inequality", "equality"] = ...,
            weight: Literal["geometric", "log2", "reciprocal", "equal"] = ..., p: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ExposureGini: _ExposureGini

class _Entropy(_coverage.Entropy):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            norm: Literal["none", "items", "distinct"] = ..., weighting: Literal["places", "lists"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Entropy: _Entropy

class _ILD(_listdiversity.IntraListDistance):
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
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            norm: Literal["k", "list", "catalogue", "count"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CategoryDiversity: _CategoryDiversity

class _CategoryEntropy(_listdiversity.CategoryEntropy):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            norm: Literal["none", "categories"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CategoryEntropy: _CategoryEntropy

class _Personalisation(_listdiversity.Personalisation):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Personalisation: _Personalisation

class _Novelty(_novelty.Novelty):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            cold: Literal["one", "zero", "skip", "rarest"] = ..., norm: Literal["none", "log"] = ...,
            divisor: Literal["list", "k"] = ..., count: Literal["interactions", "users"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Novelty: _Novelty

class _MIUF(_novelty.MeanInverseUserFrequency):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., base: Literal["e"] | float = ...,
            cold: Literal["one", "zero", "skip", "rarest"] = ..., norm: Literal["none", "log"] = ...,
            divisor: Literal["list", "k"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
MIUF: _MIUF

class _EPC(_novelty.ExpectedPopularityComplement):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., discount: Literal["log2", "reciprocal", "none"] = ...,
            relevance: Literal["judged", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EPC: _EPC

class _EFD(_novelty.ExpectedFreeDiscovery):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., base: Literal["e"] | float = ...,
            cold: Literal["one", "zero", "skip", "rarest"] = ..., discount: Literal["log2", "reciprocal", "none"] = ...,
            relevance: Literal["judged", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
EFD: _EFD

class _ARP(_popularity.AverageRecommendationPopularity):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            count: Literal["interactions", "users"] = ..., norm: Literal["none", "share", "max"] = ...,
            cold: Literal["zero", "skip"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ARP: _ARP

class _APLT(_popularity.AveragePercentageOfLongTail):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            tail: Literal["interactions", "items"] = ..., share: float = ...,
            among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
APLT: _APLT

class _ACLT(_popularity.AverageCountOfLongTail):
    def __call__(self, *, aggregate: Literal["mean", "sum", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            tail: Literal["interactions", "items"] = ..., share: float = ...,
            among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ACLT: _ACLT

class _TailShare(_popularity.TailShare):
    def __call__(self, *, aggregate: Literal["pooled", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            tail: Literal["interactions", "items"] = ..., share: float = ...,
            among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
TailShare: _TailShare

class _PopREO(_popularity.PopularityEqualOpportunity):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            groups: Literal["popularity", "catalogue"] = ..., tail: Literal["interactions", "items"] = ...,
            share: float = ..., among: Literal["catalogue", "history"] = ..., border: Literal["first", "last"] = ...,
            rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PopREO: _PopREO

class _PopRSP(_popularity.PopularityStatisticalParity):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            groups: Literal["popularity", "catalogue"] = ..., tail: Literal["interactions", "items"] = ...,
            share: float = ..., among: Literal["catalogue", "history"] = ...,
            border: Literal["first", "last"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PopRSP: _PopRSP

class _PopularityLift(_popularity.PopularityLift):
    def __call__(self, *, aggregate: Literal["pooled", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            count: Literal["interactions", "users"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
PopularityLift: _PopularityLift

class _Serendipity(_taste.Serendipity):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., surprise: Literal["popularity", "history", "popular"] = ...,
            source: Literal["features", "categories", "history"] = ...,
            relevance: Literal["judged", "all"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Serendipity: _Serendipity

class _Unexpectedness(_taste.Unexpectedness):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            surprise: Literal["history", "popular"] = ...,
            source: Literal["features", "categories", "history"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Unexpectedness: _Unexpectedness

class _Calibration(_taste.Calibration):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., divergence: Literal["kl", "js"] = ...,
            alpha: float = ..., base: Literal["e"] | float = ...,
            weight: Literal["equal", "log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Calibration: _Calibration

class _GroupExposure(_fairness.GroupExposure):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            weight: Literal["log2", "geometric", "reciprocal", "equal"] = ..., p: float = ...,
            group: str | float | None = ..., unit: Literal["share", "ratio"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
GroupExposure: _GroupExposure

class _Disparity(_fairness.Disparity):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            weight: Literal["log2", "geometric", "reciprocal", "equal"] = ..., p: float = ...,
            target: Literal["catalogue", "uniform", "history", "relevance"] = ...,
            distance: Literal["tv", "max", "kl", "ratio"] = ..., rel: float = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Disparity: _Disparity

class _SegmentGap(_fairness.SegmentGap):
    def __call__(self, *, aggregate: Literal["whole"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., of: str | float = ...,
            gap: Literal["mad", "range"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SegmentGap: _SegmentGap

class _Revenue(_value.Revenue):
    def __call__(self, *, aggregate: Literal["mean", "sum", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., discount: Literal["none", "log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Revenue: _Revenue

class _Margin(_value.Margin):
    def __call__(self, *, aggregate: Literal["mean", "sum", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., discount: Literal["none", "log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
Margin: _Margin

class _ValueNDCG(_value.ValueNDCG):
    def __call__(self, *, aggregate: Literal["mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ..., gain: Literal["linear", "exp2", "binary"] = ...,
            discount: Literal["log2", "reciprocal"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ValueNDCG: _ValueNDCG

class _ValueHitRate(_value.ValueHitRate):
    def __call__(self, *, aggregate: Literal["pooled", "mean", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ..., rel: float = ...,
            empty: Literal["zero", "skip"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ValueHitRate: _ValueHitRate

class _ShortLists(_listquality.ShortLists):
    def __call__(self, *, aggregate: Literal["mean", "sum"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
ShortLists: _ShortLists

class _DuplicateItems(_listquality.DuplicateItems):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scale: Literal["repeated", "different"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
DuplicateItems: _DuplicateItems

class _SeenItems(_listquality.SeenItems):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...,
            scale: Literal["seen", "unseen"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
SeenItems: _SeenItems

class _OutsideCatalogue(_listquality.OutsideCatalogue):
    def __call__(self, *, aggregate: Literal["mean", "sum", "pooled", "median"] = ...,
            queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            ties: Literal["item", "item-ascending", "input", "reversed"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
OutsideCatalogue: _OutsideCatalogue

class _CTR(_online.ClickThroughRate):
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ..., cutoff: int | None = ...,
            per: Literal["impression", "request", "user", "reach"] = ...,
            clicks: Literal["once", "all", "request"] = ..., impressions: Literal["once", "all"] = ...,
            orphans: Literal["drop", "keep"] = ...) -> Self: ...
    def __matmul__(self, value: int) -> Self: ...
CTR: _CTR

class _CVR(_online.ConversionRate):
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., per: Literal["click", "session", "user"] = ...,
            window: float | None = ..., item: Literal["same", "any"] = ...,
            credit: Literal["last", "first", "all", "even"] = ..., count: Literal["clicks", "conversions"] = ...,
            maturity: Literal["all", "mature"] = ..., clicks: Literal["once", "all", "request"] = ...,
            orphans: Literal["drop", "keep"] = ...) -> Self: ...
CVR: _CVR

class _Conversions(_online.Conversions):
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., per: Literal["user", "session", "impression"] = ...,
            impressions: Literal["once", "all"] = ...) -> Self: ...
Conversions: _Conversions

class _Value(_online.Value):
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., winsor: float | None = ..., trim: float | None = ...,
            quantile: float | None = ..., per: Literal["user", "session", "conversion"] = ..., cap: float | None = ...,
            refunds: Literal["keep", "drop"] = ...) -> Self: ...
Value: _Value

class _SessionDuration(_online.SessionDuration):
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., winsor: float | None = ..., trim: float | None = ...,
            quantile: float | None = ..., per: Literal["session", "user"] = ..., zeros: Literal["keep", "drop"] = ...,
            cap: float | None = ..., better: Literal["unstated", "higher", "lower"] = ...) -> Self: ...
SessionDuration: _SessionDuration

class _EngagedSessions(_online.EngagedSessions):
    def __call__(self, *, aggregate: Literal["pooled"] = ..., queries: Literal["judged", "common", "run"] | None = ...,
            duplicates: Literal["error", "first", "best", "counted"] | None = ...,
            sessions: Literal["auto", "id", "gap"] = ..., gap: float = ..., max_length: float | None = ...,
            activity: Literal["all", "actions"] = ..., seconds: float = ..., views: int = ...) -> Self: ...
EngagedSessions: _EngagedSessions

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
