"""rankmeter measures rankings and recommendations, and tells what each number means.

>>> import rankmeter as rm
>>> ev = rm.evaluate({"q1": {"a": 2, "b": 1}}, {"q1": {"a": 0.9, "x": 0.8, "b": 0.7}}, ["nDCG@10", "RR"])
>>> ev["nDCG@10"]
0.9502...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankmeter.errors import (
    InputError,
    MeasureError,
    MissingExtraError,
    NotFoundError,
    RankmeterError,
    RankmeterWarning,
)

if TYPE_CHECKING:
    from rankmeter import online
    from rankmeter.arithmetic.custom import measure
    from rankmeter.comparing.advice import advise
    from rankmeter.comparing.comparison import compare, folds, seeds
    from rankmeter.comparing.pooling import pool
    from rankmeter.comparing.results import Comparison
    from rankmeter.compat.mlflow import log_to_mlflow
    from rankmeter.definitions.reconcile import reconcile
    from rankmeter.definitions.steps import between
    from rankmeter.definitions.table import score_table
    from rankmeter.definitions.worked import explain
    from rankmeter.evaluating.evaluation import evaluate, value
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.inputs import Labelled, arrays, ranked_grades
    from rankmeter.inputs.files import read_judgments, read_labelled, read_run
    from rankmeter.inputs.passages import roll_up
    from rankmeter.inputs.shards import files
    from rankmeter.lists.catalogue import Catalogue
    from rankmeter.lists.slices import Slices
    from rankmeter.measures import Measure, parse, parse_measures
    from rankmeter.placing.catalogue import rank_catalogue
    from rankmeter.placing.ranked_ids import ranked_ids
    from rankmeter.placing.tensors import tensors
    from rankmeter.scale.sampling import sampled, sampled_ranks

__version__ = "0.1.0"

# Importing rankmeter loads no heavy library: what needs NumPy or Polars is loaded when it is first used. The names of
# __all__ that are not here are measures, each of which loads its family.
_LAZY = {
    "Measure": "rankmeter.measures",
    "parse": "rankmeter.measures",
    "parse_measures": "rankmeter.measures",
    "Catalogue": "rankmeter.lists.catalogue",
    "Comparison": "rankmeter.comparing.results",
    "Evaluation": "rankmeter.evaluating.result",
    "Slices": "rankmeter.lists.slices",
    "Labelled": "rankmeter.inputs",
    "advise": "rankmeter.comparing.advice",
    "between": "rankmeter.definitions.steps",
    "reconcile": "rankmeter.definitions.reconcile",
    "score_table": "rankmeter.definitions.table",
    "arrays": "rankmeter.inputs",
    "compare": "rankmeter.comparing.comparison",
    "evaluate": "rankmeter.evaluating.evaluation",
    "explain": "rankmeter.definitions.worked",
    "files": "rankmeter.inputs.shards",
    "folds": "rankmeter.comparing.comparison",
    "log_to_mlflow": "rankmeter.compat.mlflow",
    "measure": "rankmeter.arithmetic.custom",
    "pool": "rankmeter.comparing.pooling",
    "rank_catalogue": "rankmeter.placing.catalogue",
    "ranked_grades": "rankmeter.inputs",
    "ranked_ids": "rankmeter.placing.ranked_ids",
    "read_judgments": "rankmeter.inputs.files",
    "read_labelled": "rankmeter.inputs.files",
    "read_run": "rankmeter.inputs.files",
    "sampled": "rankmeter.scale.sampling",
    "sampled_ranks": "rankmeter.scale.sampling",
    "seeds": "rankmeter.comparing.comparison",
    "tensors": "rankmeter.placing.tensors",
    "roll_up": "rankmeter.inputs.passages",
    "value": "rankmeter.evaluating.evaluation",
}


def __getattr__(name: str) -> Any:
    if name == "online":
        return import_module("rankmeter.online")
    if name not in __all__:
        raise AttributeError(f"module 'rankmeter' has no attribute '{name}'")
    found = getattr(import_module(_LAZY.get(name, "rankmeter.measures")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "ACLT", "advise", "AllRelevant", "alpha_DCG", "alpha_nDCG", "AP", "AP_IA", "APLT", "ARP", "arrays", "AUC",
    "between", "binG", "BPM", "Bpref", "Calibration", "Catalogue", "CategoryDiversity", "CategoryEntropy", "CG",
    "compare", "Comparison", "Compat", "Conversions", "Coverage", "CTR", "CVR", "DCG", "Disparity",
    "DuplicateItems", "EFD", "EngagedSessions", "Entropy", "EPC", "ERR", "ERR_IA", "evaluate", "Evaluation",
    "explain", "ExposureGini", "F", "files", "folds", "G", "Gini", "GroupExposure", "HitRate", "ILD", "infAP",
    "InputError", "INSQ", "INST", "IPrec", "IPrecAvg", "Judged", "Labelled", "log_to_mlflow", "Margin", "MeanRank",
    "Measure", "measure", "MeasureError", "MissingExtraError", "MIUF", "nDCG", "nDCGrel", "NERR10", "NERR11",
    "NERR8", "NERR9", "nERR_IA", "nNRBP", "NotFoundError", "Novelty", "NRBP", "NumNonrelRet", "NumQ", "NumRel",
    "NumRelRet", "NumRet", "online", "OutsideCatalogue", "P", "P_IA", "parse", "parse_measures", "Personalisation",
    "pool", "PopREO", "PopRSP", "PopularityLift", "R", "rank_catalogue", "ranked_grades", "ranked_ids",
    "RankmeterError", "RankmeterWarning", "RBP", "RBPResidual", "read_judgments", "read_labelled", "read_run",
    "reconcile", "Revenue", "RnDCG", "roll_up", "Rprec", "RR", "sampled", "sampled_ranks", "score_table", "SDCG",
    "seeds", "SeenItems", "SegmentGap", "Serendipity", "SessionDuration", "SetAP", "SetF", "SetP", "SetR",
    "ShortLists", "Slices", "StRecall", "Success", "TailShare", "tensors", "Unexpectedness", "Unjudged",
    "UserCoverage", "Utility", "Value", "value", "ValueHitRate", "ValueNDCG",
]  # fmt: skip
