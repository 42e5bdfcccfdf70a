"""RePlay's split of the data and popular items, measured by RePlay and by rankmeter from the same frames."""

import pandas as pd
from interactions import drawn
from replay.metrics import MAP, MRR, NDCG, HitRate, Recall
from replay.splitters import LastNSplitter

import rankmeter as rm

train, held = drawn()
log = pd.DataFrame([*train, *held], columns=["query_id", "item_id"])
log["timestamp"], log["rating"] = range(len(log)), 1.0
before, after = LastNSplitter(3, divide_column="query_id", query_column="query_id").split(log)
taken = before.groupby("item_id").size().rename("rating").reset_index()
taken["rating"] += taken["item_id"] / 1000  # without ties, which versions of RePlay break in different ways
shown = before[["query_id"]].drop_duplicates().merge(taken, how="cross")
shown = shown[~shown.set_index(["query_id", "item_id"]).index.isin(before.set_index(["query_id", "item_id"]).index)]
judged = after[["query_id", "item_id"]].assign(grade=1)
for metric in (MAP, MRR, NDCG, HitRate, Recall):
    ((name, value),) = metric(10)(shown, after[["query_id", "item_id"]]).items()
    ours = rm.evaluate(judged, shown, name, dialect="replay", columns={"run.score": "rating"})
    assert abs(ours[name] - value) < 1e-9, (name, value, ours)
    print(f"{name} = {value:.6f}, as in RePlay")
