"""Implicit's factors, measured by implicit and by rankmeter from the lists that the model returns."""

import numpy as np
from implicit.als import AlternatingLeastSquares
from implicit.evaluation import ranking_metrics_at_k
from interactions import ITEMS, USERS, drawn
from scipy.sparse import csr_matrix

import rankmeter as rm

train, held = drawn()
known, after = (
    csr_matrix((np.ones(len(rows), np.float32), np.array(rows).T), shape=(USERS, ITEMS)) for rows in (train, held)
)
model = AlternatingLeastSquares(factors=8, iterations=5, random_state=1, num_threads=1)
model.fit(known, show_progress=False)
theirs = ranking_metrics_at_k(model, known, after, K=10, show_progress=False, num_threads=1)
ids, scores = model.recommend(np.arange(USERS), known, N=10)
run = {user: dict(zip(ids[user].tolist(), scores[user].tolist(), strict=True)) for user in range(USERS)}
judged: dict[int, dict[int, int]] = {}
for user, item in held:
    judged.setdefault(user, {})[item] = 1
ours = rm.evaluate(judged, run, ["map@10", "ndcg@10", "precision@10"], dialect="implicit")
for name in ("map", "ndcg", "precision"):
    assert abs(ours[f"{name}@10"] - theirs[name]) < 1e-9, (name, theirs, ours)
    print(f"{name}@10 = {theirs[name]:.6f}, as in implicit")
