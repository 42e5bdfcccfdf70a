"""The names that people use for measures, each with the rankmeter measure that it stands for.

A name states which *formula* is meant, never the conventions of the tool that uses it: those are ``dialect=``.
"""

from __future__ import annotations

import re

from rankmeter.measures.families import FAMILY_OF
from rankmeter.wording import chinese

EVERYDAY: dict[str, str] = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "Prec": "P",
    "Recall": "R",
    "F1": "F",
    "HitRate": "Success",
    "Hit": "Success",
    "HR": "Success",
    "Hits": "NumRelRet",
    "RPrec": "Rprec",
    "BPref": "Bpref",
    "GMAP": "AP(aggregate=geometric)",
    # everyday names of measures of lists; which of several formulas each means is rankmeter's choice
    "CatalogCoverage": "Coverage",
    "CatalogueCoverage": "Coverage",
    "ItemCoverage": "Coverage",
    "GiniIndex": "Gini",
    "ShannonEntropy": "Entropy",
    "Diversity": "ILD",
    "IntraListDiversity": "ILD",
    "IntraListDistance": "ILD",
    "IntraListSimilarity": "ILD(scale=similarity)",
    "ILS": "ILD(scale=similarity)",
    "Personalization": "Personalisation",
    "SelfInformation": "Novelty",
    "MeanInverseUserFrequency": "MIUF",
    "MeanInvUserFreq": "MIUF",
    "AverageRecommendationPopularity": "ARP",
    "AveragePopularity": "ARP",
    "AvgRecPopularity": "ARP",
    "TailPercentage": "TailShare",
    "LongTailShare": "TailShare",
    "ExpectedPopularityComplement": "EPC",
    "ExpectedFreeDiscovery": "EFD",
}
"""Everyday names, which the package exports too (``rankmeter.MRR``)."""

ALIASES: dict[str, str] = {
    **EVERYDAY,
    # trec_eval; those with a number take it after an underscore or a dot: P_5, ndcg_cut.10
    "map": "AP",
    "map_cut": "AP",
    "gm_map": "AP(aggregate=geometric)",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "recip_rank": "RR",
    "recall": "R",
    "success": "Success",
    "bpref": "Bpref",
    "gm_bpref": "Bpref(aggregate=geometric)",
    "infap": "infAP",
    "iprec_at_recall": "IPrec",
    "relative_P": "P(norm=capped)",
    "set_P": "SetP",
    "set_relative_P": "SetP(norm=capped)",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "dcg": "DCG",
    # ranx
    "hits": "NumRelRet(aggregate=mean)",
    "hit_rate": "Success",
    "precision": "P",
    "f1": "F",
    "r-precision": "Rprec",
    "r_precision": "Rprec",
    "mrr": "RR",
    "ndcg_burges": "nDCG(gain=exp2)",
    "dcg_burges": "DCG(gain=exp2)",
    "Rndcg": "RnDCG",
    "ndcg_rel": "nDCGrel",
    "set_map": "SetAP",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "unj": "Unjudged",
    "rbp_resid": "RBPResidual",
    "utility": "Utility",
    # ir_measures
    "Accuracy": "AUC(empty=skip,miss=skip,ties=item)",
    "MAP_IA": "AP_IA",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
    "SetRelP": "SetP(norm=capped)",
    "R_cap": "R(norm=capped)",
    "IPrecision": "IPrec",
    **chinese.MEASURES,
}

OPTION_ALIASES: dict[tuple[str, object], tuple[str, object]] = {
    ("dcg", "log2"): ("gain", "linear"),
    ("dcg", "exp-log2"): ("gain", "exp2"),
    ("judged_only", True): ("unjudged", "removed"),
    ("judged_only", False): ("unjudged", "nonrelevant"),
    ("relative", True): ("norm", "capped"),
    ("relative", False): ("norm", "list"),
    ("normalize", True): ("norm", "ideal"),
    ("normalize", False): ("norm", "none"),
}
"""ir_measures' own spellings of options, with the value they take."""

OPTION_NAMES: dict[str, str] = {"max_rel": "max_grade", "min_rel": "min_grade", "gains": "gain", "k": "cutoff"}

_TREC = r"(?P<name>[A-Za-z]\w*?)[_.](?P<number>(?:\d*+\.)?+\d++(?:,(?:\d*+\.)?+\d++)*+)"
_BUDGET = r"(?:R|[Rr]ecall)@(?P<kind>calls|tokens)=(?P<number>\d+)"
_RANX_LEVEL = r"(?P<rest>.+)-l(?P<level>\d+)"
_RANX_RBP = r"rbp[.@](?P<digits>\d+)"


def spelled_out(text: str) -> str:
    """Rewrite trec_eval's and ranx's names with numbers in rankmeter's grammar; leave other text alone.

    Examples
    --------
    >>> spelled_out("ndcg_cut_10"), spelled_out("P.5,10"), spelled_out("ndcg@10-l2"), spelled_out("rbp.95")
    ('ndcg_cut@10', 'P@5,10', 'ndcg(rel=2)@10', 'RBP(p=0.95)')
    >>> spelled_out("R@tokens=2000")
    'SearchRecall(tokens=2000)'
    """
    if match := re.fullmatch(_BUDGET, text):
        return f"SearchRecall({match['kind']}={match['number']})"
    if match := re.fullmatch(_RANX_RBP, text):
        return f"RBP(p=0.{match['digits']})"
    if match := re.fullmatch(_RANX_LEVEL, text):
        name, at, number = match["rest"].partition("@")
        return f"{name}(rel={match['level']}){at}{number}"
    match = re.fullmatch(_TREC, text)
    if match and (match["name"] in ALIASES or match["name"] in {"P", "Rprec"}):
        return f"{match['name']}@{match['number']}"
    return text


def public_names() -> list[str]:
    """The names of rankmeter's own measures, everyday names included."""
    return [*FAMILY_OF, *EVERYDAY]
