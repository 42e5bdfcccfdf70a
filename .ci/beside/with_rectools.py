"""RecTools' most popular items, measured by RecTools and by rankmeter from the same frames."""

import pandas as pd
from interactions import drawn
from rectools import Columns
from rectools.dataset import Dataset
from rectools.metrics import MAP, MRR, NDCG, Recall, calc_metrics
from rectools.models import PopularModel

import rankmeter as rm

train, held = (pd.DataFrame(rows, columns=[Columns.User, Columns.Item]) for rows in drawn())
known = Dataset.construct(train.assign(weight=1.0, datetime=pd.Timestamp("2026-01-01")))
users = held[Columns.User].unique()
shown = PopularModel().fit(known).recommend(users, known, k=10, filter_viewed=True)
metrics = {"MAP": MAP(k=10), "NDCG": NDCG(k=10), "MRR": MRR(k=10), "Recall": Recall(k=10)}
theirs = calc_metrics(metrics, shown, held.assign(weight=1.0, datetime=pd.Timestamp("2026-01-02")))
ours = rm.evaluate(held.assign(grade=1), shown, [f"{name}@10" for name in theirs], dialect="rectools")
for name, value in theirs.items():
    assert abs(ours[f"{name}@10"] - value) < 1e-9, (name, value, ours)
    print(f"{name}@10 = {value:.6f}, as in RecTools")
