"""Which family of measures each name belongs to, so that a name loads its family and no other.

Written by docs/tools/make_names.py from the classes of the measures.
"""

from __future__ import annotations

from rankmeter.wings import families as wing_families

FAMILIES: dict[str, str] = {
    "counts": "NumQ NumRet NumRel NumRelRet",
    "hits": "P R F Success Rprec IPrec SetP SetR SetF AllRelevant Compat",
    "order": "RR AP AUC MeanRank PairAccuracy GAUC PartialAUC",
    "gains": "CG DCG nDCG RBP ERR MaxGrade",
    "incomplete": "Bpref infAP Judged",
    "users": "INST INSQ BPM SDCG NERR8 NERR9 NERR10 NERR11",
    "historic": "IPrecAvg SetAP Utility binG G nDCGrel RnDCG NumNonrelRet Unjudged RBPResidual",
    "diversity": "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA StRecall",
    "coverage": "Coverage UserCoverage Gini ExposureGini Entropy",
    "listdiversity": "ILD CategoryDiversity CategoryEntropy Personalisation Serendipity Unexpectedness Calibration",
    "popularity": "ARP APLT ACLT TailShare PopREO PopRSP PopularityLift Novelty MIUF EPC EFD",
    "fairness": "GroupExposure Disparity SegmentGap AWRF JointExposure",
    "value": "Revenue Margin ValueNDCG ValueHitRate",
    "listquality": "ShortLists DuplicateItems SeenItems OutsideCatalogue",
    "blended": "Q OMeasure PMeasure PPlus",
    "decisions": "CatalogueAccuracy MCC",
}

FAMILY_OF = {name: f"rankmeter.measures.{family}" for family, names in FAMILIES.items() for name in names.split()}
FAMILY_OF |= wing_families()
"""The module of each measure, those of wings too."""
