"""How much: pure functions from placements to values per query, written once for every way of placing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankmeter.arithmetic import diversity, gain, historic, incomplete, relevance, users
from rankmeter.arithmetic.aggregates import AGGREGATES, Tally, aggregated
from rankmeter.arithmetic.parts import Parts, Values, values_of
from rankmeter.arithmetic.views import View, Views

FORMULAS: dict[str, Callable[[View, Any], Parts]] = {
    "P": relevance.precision,
    "R": relevance.recall,
    "F": relevance.f_measure,
    "Success": relevance.success,
    "RR": relevance.reciprocal_rank,
    "AP": relevance.average_precision,
    "Rprec": relevance.r_precision,
    "IPrec": relevance.interpolated_precision,
    "SetP": relevance.set_precision,
    "SetR": relevance.recall,
    "SetF": relevance.set_f,
    "AUC": relevance.auc,
    "MeanRank": relevance.mean_rank,
    "nDCG": gain.ndcg,
    "DCG": gain.discounted_gain,
    "CG": gain.cumulated_gain,
    "RBP": gain.rank_biased_precision,
    "ERR": gain.expected_reciprocal_rank,
    "Bpref": incomplete.bpref,
    "infAP": incomplete.inferred_ap,
    "Judged": incomplete.judged,
    "NumQ": relevance.num_queries,
    "NumRet": relevance.num_returned,
    "NumRel": relevance.num_relevant,
    "NumRelRet": relevance.num_relevant_returned,
    "AllRelevant": historic.all_relevant,
    "Compat": historic.compatibility,
    "IPrecAvg": historic.averaged_interpolated_precision,
    "SetAP": historic.set_average_precision,
    "Utility": historic.utility,
    "binG": historic.binary_g,
    "G": historic.normalised_g,
    "nDCGrel": historic.ndcg_over_relevant,
    "RnDCG": historic.ndcg_over_levels,
    "NumNonrelRet": historic.num_nonrelevant_returned,
    "Unjudged": historic.unjudged,
    "RBPResidual": historic.rank_biased_residual,
    "alpha_DCG": diversity.alpha_dcg,
    "alpha_nDCG": diversity.alpha_ndcg,
    "ERR_IA": diversity.err_ia,
    "nERR_IA": diversity.nerr_ia,
    "NRBP": diversity.nrbp,
    "nNRBP": diversity.nnrbp,
    "AP_IA": diversity.ap_ia,
    "P_IA": diversity.p_ia,
    "StRecall": diversity.subtopic_recall,
    **dict.fromkeys(users.CONTINUATIONS, users.expected_gain),
}
"""The formula of every measure, by its name."""

__all__ = ["AGGREGATES", "FORMULAS", "Parts", "Tally", "Values", "View", "Views", "aggregated", "values_of"]
