"""What is asked: measures as values, their grammar, their conventions and their prose. Nothing here computes."""

from __future__ import annotations

from rankmeter.measures import (  # the families register themselves
    counts,
    coverage,
    diversity,
    fairness,
    found,
    gains,
    historic,
    incomplete,
    listdiversity,
    listquality,
    novelty,
    online,
    order,
    popularity,
    taste,
    users,
    value,
)
from rankmeter.measures.base import REGISTRY, Measure, RankedMeasure, register
from rankmeter.measures.grammar import find_measure, into_measures, parse, parse_measures, split_measures
from rankmeter.measures.slates import SlateMeasure, WholeMeasure

P, R, F, Success, Rprec = (REGISTRY[name] for name in ("P", "R", "F", "Success", "Rprec"))
IPrec, SetP, SetR, SetF = (REGISTRY[name] for name in ("IPrec", "SetP", "SetR", "SetF"))
RR, AP, AUC, MeanRank = (REGISTRY[name] for name in ("RR", "AP", "AUC", "MeanRank"))
nDCG, DCG, CG, RBP, ERR = (REGISTRY[name] for name in ("nDCG", "DCG", "CG", "RBP", "ERR"))
Bpref, infAP, Judged = (REGISTRY[name] for name in ("Bpref", "infAP", "Judged"))
NumQ, NumRet, NumRel, NumRelRet = (REGISTRY[name] for name in ("NumQ", "NumRet", "NumRel", "NumRelRet"))
HitRate = Success
CTR, CVR, Conversions, Value = (REGISTRY[name] for name in ("CTR", "CVR", "Conversions", "Value"))
SessionDuration, EngagedSessions = (REGISTRY[name] for name in ("SessionDuration", "EngagedSessions"))

__all__ = [
    "CTR", "CVR", "Conversions", "EngagedSessions", "SessionDuration", "Value", "online",
    "AP", "AUC", "CG", "DCG", "ERR", "F", "HitRate", "IPrec", "Judged", "MeanRank", "NumQ", "NumRel", "NumRelRet",
    "NumRet", "P", "R", "RBP", "REGISTRY", "RR", "Bpref", "Measure", "RankedMeasure", "Rprec", "SetF", "SetP", "SetR",
    "SlateMeasure", "Success", "WholeMeasure", "counts", "coverage", "diversity", "fairness", "find_measure",
    "found", "gains", "historic", "incomplete", "infAP", "into_measures", "listdiversity", "listquality", "nDCG",
    "novelty", "order", "parse", "parse_measures", "popularity", "register", "split_measures", "taste", "users",
    "value",
]  # fmt: skip
