"""Cornac's matrix factorisation, measured by cornac and by rankmeter from the ranks that the model gives."""

import cornac
from cornac.eval_methods.base_method import ranking_eval
from cornac.metrics import MAP, NDCG, HitRatio, Recall
from interactions import drawn

import rankmeter as rm

train, held = ([(str(user), str(item), 1.0) for user, item in rows] for rows in drawn())
known = cornac.data.Dataset.from_uir(train)
after = cornac.data.Dataset.build(held, global_uid_map=known.uid_map, global_iid_map=known.iid_map)
model = cornac.models.BPR(k=8, max_iter=50, seed=3, num_threads=1).fit(known)
metrics = [MAP(), NDCG(k=10), Recall(k=10), HitRatio(k=10)]
theirs, _ = ranking_eval(model, metrics, known, after)
seen = {(known.uid_map[user], known.iid_map[item]) for user, item, _ in train}
judged: dict[int, dict[int, int]] = {}
for user, item, _ in held:
    judged.setdefault(known.uid_map[user], {})[known.iid_map[item]] = 1
run = {}
for user in judged:
    items = [item for item in range(known.num_items) if (user, item) not in seen]
    run[user] = dict(zip(items, model.rank(user, item_indices=items)[1].tolist(), strict=True))
names = ["MAP", "NDCG@10", "Recall@10", "HitRatio@10"]
ours = rm.evaluate(judged, run, names, dialect="cornac")
for name, value in zip(names, theirs, strict=True):
    assert abs(ours[name] - value) < 1e-9, (name, value, ours)
    print(f"{name} = {value:.6f}, as in cornac")
