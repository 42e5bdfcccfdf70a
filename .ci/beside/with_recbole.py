"""RecBole's model, trained and measured by RecBole, and its matrix of scores measured by rankmeter."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from interactions import drawn
from recbole.config import Config
from recbole.data import create_dataset, data_preparation
from recbole.model.general_recommender import BPR
from recbole.trainer import Trainer

import rankmeter as rm

train, held = drawn()
with tempfile.TemporaryDirectory() as folder:
    data = Path(folder) / "made-up"
    data.mkdir()
    rows = [f"{user}\t{item}\t{when}" for when, (user, item) in enumerate([*train, *held])]
    head = "user_id:token\titem_id:token\ttimestamp:float"
    (data / "made-up.inter").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    settings = {
        "data_path": folder, "checkpoint_dir": folder, "epochs": 2, "use_gpu": False, "seed": 1, "show_progress": False,
        "embedding_size": 8, "state": "ERROR", "metrics": ["NDCG", "MRR", "Recall", "Hit", "MAP"], "topk": [10],
        "valid_metric": "NDCG@10", "load_col": {"inter": ["user_id", "item_id", "timestamp"]},
        "eval_args": {"split": {"RS": [0.7, 0.1, 0.2]}, "order": "TO", "group_by": "user", "mode": "full"},
        "metric_decimal_place": 10,
    }  # fmt: skip
    config = Config(model="BPR", dataset="made-up", config_dict=settings)
    dataset = create_dataset(config)
    training, validation, testing = data_preparation(config, dataset)
    model = BPR(config, training.dataset)
    trainer = Trainer(config, model)
    trainer.fit(training, saved=False, verbose=False, show_progress=False)
    theirs = trainer.evaluate(testing, load_best_model=False)
    run, judged = {}, {}
    model.eval()
    for interaction, history, users, items in testing:
        with torch.no_grad():
            scores = model.full_sort_predict(interaction).view(-1, dataset.item_num).numpy()
        scores[:, 0] = -np.inf  # the padding item, and what was trained with
        scores[history[0].numpy(), history[1].numpy()] = -np.inf
        for row, user in enumerate(interaction["user_id"].tolist()):
            kept = np.flatnonzero(scores[row] > -np.inf)
            run[user] = dict(zip(kept.tolist(), scores[row, kept].tolist(), strict=True))
            judged[user] = dict.fromkeys(items[users == row].tolist(), 1)
names = ["NDCG@10", "MRR@10", "Recall@10", "Hit@10", "MAP@10"]
ours = rm.evaluate(judged, run, names, dialect="recbole")
for name, found in zip(names, ours.means.values(), strict=True):
    value = theirs[name.lower()]
    assert abs(found - value) < 1e-6, (name, value, found)
    print(f"{name} = {value:.6f}, as in RecBole")
