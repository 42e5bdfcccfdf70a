"""Record what scikit-learn, statsmodels, krippendorff, irrCAC and ppi_py compute, for tests that need none of them.

    python tests/wings/judging/record_judging.py > tests/wings/judging/judging.json

Needs these packages; their versions are recorded beside the numbers.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

import numpy as np


def panels() -> list[dict[str, object]]:
    """Random panels: two judges to six, two grades to eleven, with gaps and without."""
    rng = np.random.default_rng(21)
    made = []
    for judges, grades, pairs, gaps in (
        (2, 2, 40, 0.0), (2, 4, 60, 0.0), (2, 5, 80, 0.0), (3, 4, 50, 0.0), (4, 3, 60, 0.3), (6, 11, 70, 0.5),
        (2, 11, 90, 0.0), (5, 2, 40, 0.2),
    ):  # fmt: skip
        true = rng.integers(0, grades, pairs)
        given = np.clip(true + rng.normal(0, grades / 5, (judges, pairs)).round(), 0, grades - 1).astype(int)
        given[rng.random(given.shape) < gaps] = -1
        made.append({"grades": grades, "codes": given.tolist()})
    return made


def recorded(panel: dict[str, object]) -> dict[str, float]:
    """The numbers of every package that defines them for this panel."""
    import krippendorff
    import pandas as pd
    from irrCAC.raw import CAC
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    codes, grades = np.array(panel["codes"]), int(panel["grades"])  # type: ignore[call-overload]
    values: dict[str, float] = {}
    scale = list(range(grades))
    if len(codes) == 2:
        for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
            values[f"sklearn {name}"] = float(cohen_kappa_score(*codes, labels=scale, weights=weights))
    data = np.where(codes < 0, np.nan, codes.astype(float))
    for level in ("nominal", "ordinal", "interval"):
        alpha = krippendorff.alpha(data, value_domain=scale, level_of_measurement=level)
        values[f"krippendorff alpha_{level}"] = float(alpha)
    if (codes >= 0).all():
        table, _ = aggregate_raters(codes.T, n_cat=grades)
        values["statsmodels fleiss"] = float(fleiss_kappa(table))
    frame = pd.DataFrame(data.T)
    for weights in ("identity", "linear", "quadratic"):
        cac = CAC(frame, weights=weights, categories=scale, digits=12)
        suffix = "" if weights == "identity" else f"_{weights}"
        names = {"gwet": "ac1" if weights == "identity" else f"ac2{suffix}", "fleiss": f"fleiss{suffix}"}
        for method, name in names.items():
            values[f"irrCAC {name}"] = float(getattr(cac, method)()["est"]["coefficient_value"])
        if weights == "identity":
            values["irrCAC brennan_prediger"] = float(cac.bp()["est"]["coefficient_value"])
    return values


def predictions() -> list[dict[str, object]]:
    """Means and intervals of PPI++ with a weight of 1 and a tuned one."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    rng = np.random.default_rng(22)
    made = []
    for judged, rest in ((6, 14), (20, 80), (50, 450)):
        y = rng.beta(2, 2, judged)
        f = np.clip(y + rng.normal(0, 0.15, judged), 0, 1)
        others = np.clip(rng.beta(2, 2, rest) + rng.normal(0, 0.15, rest), 0, 1)
        for weight in (1.0, None):
            value = float(np.squeeze(ppi_mean_pointestimate(y, f, others, lam=weight)))
            low, high = (float(np.squeeze(end)) for end in ppi_mean_ci(y, f, others, alpha=0.05, lam=weight))
            made.append({"y": y.tolist(), "f": f.tolist(), "rest": others.tolist(), "lam": weight,
                         "value": value, "low": low, "high": high})  # fmt: skip
    return made


if __name__ == "__main__":
    names = ("scikit-learn", "statsmodels", "krippendorff", "irrCAC", "ppi-python")
    made = {
        "versions": {name: version(name) for name in names},
        "panels": [{**panel, "values": recorded(panel)} for panel in panels()],
        "predictions": predictions(),
    }
    json.dump(made, sys.stdout, separators=(",", ":"))
