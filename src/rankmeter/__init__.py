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
    from rankmeter.comparing.advice import advise
    from rankmeter.comparing.comparison import compare, folds, seeds
    from rankmeter.comparing.pooling import pool
    from rankmeter.comparing.results import Comparison
    from rankmeter.custom import measure
    from rankmeter.definitions.reconcile import reconcile
    from rankmeter.definitions.steps import between
    from rankmeter.definitions.table import score_table
    from rankmeter.definitions.worked import explain
    from rankmeter.evaluation import evaluate, value
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
    from rankmeter.results import Evaluation
    from rankmeter.scale.sampling import sampled, sampled_ranks
    from rankmeter.tracking import log_to_mlflow

__version__ = "0.1.0"

# Importing rankmeter loads no heavy library: what needs NumPy or Polars is loaded when it is first used.
_LAZY = {
    "AP": "rankmeter.measures",
    "AUC": "rankmeter.measures",
    "CG": "rankmeter.measures",
    "CTR": "rankmeter.measures",
    "CVR": "rankmeter.measures",
    "DCG": "rankmeter.measures",
    "ERR": "rankmeter.measures",
    "RBP": "rankmeter.measures",
    "RR": "rankmeter.measures",
    "Bpref": "rankmeter.measures",
    "Conversions": "rankmeter.measures",
    "EngagedSessions": "rankmeter.measures",
    "F": "rankmeter.measures",
    "HitRate": "rankmeter.measures",
    "IPrec": "rankmeter.measures",
    "Judged": "rankmeter.measures",
    "MeanRank": "rankmeter.measures",
    "Measure": "rankmeter.measures",
    "NumQ": "rankmeter.measures",
    "NumRel": "rankmeter.measures",
    "NumRelRet": "rankmeter.measures",
    "NumRet": "rankmeter.measures",
    "P": "rankmeter.measures",
    "R": "rankmeter.measures",
    "Rprec": "rankmeter.measures",
    "SessionDuration": "rankmeter.measures",
    "SetF": "rankmeter.measures",
    "SetP": "rankmeter.measures",
    "SetR": "rankmeter.measures",
    "Success": "rankmeter.measures",
    "Value": "rankmeter.measures",
    "infAP": "rankmeter.measures",
    "nDCG": "rankmeter.measures",
    "parse": "rankmeter.measures",
    "parse_measures": "rankmeter.measures",
    "Catalogue": "rankmeter.lists.catalogue",
    "Comparison": "rankmeter.comparing.results",
    "Evaluation": "rankmeter.results",
    "Slices": "rankmeter.lists.slices",
    "Labelled": "rankmeter.inputs",
    "advise": "rankmeter.comparing.advice",
    "between": "rankmeter.definitions.steps",
    "reconcile": "rankmeter.definitions.reconcile",
    "score_table": "rankmeter.definitions.table",
    "arrays": "rankmeter.inputs",
    "compare": "rankmeter.comparing.comparison",
    "evaluate": "rankmeter.evaluation",
    "explain": "rankmeter.definitions.worked",
    "files": "rankmeter.inputs.shards",
    "folds": "rankmeter.comparing.comparison",
    "log_to_mlflow": "rankmeter.tracking",
    "measure": "rankmeter.custom",
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
    "value": "rankmeter.evaluation",
}


def __getattr__(name: str) -> Any:
    if name == "online":
        return import_module("rankmeter.online")
    if name not in _LAZY:
        raise AttributeError(f"module 'rankmeter' has no attribute '{name}'")
    found = getattr(import_module(_LAZY[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, "online"})


__all__ = [
    "advise", "AP", "arrays", "AUC", "between", "Bpref", "Catalogue", "CG", "compare", "Comparison", "Conversions",
    "CTR", "CVR", "DCG", "EngagedSessions", "ERR", "evaluate", "Evaluation", "explain", "F", "files", "folds",
    "HitRate", "infAP", "InputError", "IPrec", "Judged", "Labelled", "log_to_mlflow", "MeanRank", "Measure",
    "measure", "MeasureError", "MissingExtraError", "nDCG", "NotFoundError", "NumQ", "NumRel", "NumRelRet",
    "NumRet", "online", "P", "parse", "parse_measures", "pool", "R", "rank_catalogue", "ranked_grades",
    "ranked_ids", "RankmeterError", "RankmeterWarning", "RBP", "read_judgments", "read_labelled", "read_run",
    "reconcile", "roll_up", "Rprec", "RR", "sampled", "sampled_ranks", "score_table", "seeds", "SessionDuration",
    "SetF", "SetP", "SetR", "Slices", "Success", "tensors", "Value", "value",
]  # fmt: skip
