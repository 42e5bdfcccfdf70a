"""Whether measures of lists are cheaper than with RecTools, Recommenders, RecBole, recmetrics and LensKit.

100,000 users x 20 recommendations from 100,000 items with 64 features, 2 million training interactions: each peer
computes what it has, ours the same measures from the same frames. RecBole's metric classes get the matrix of items and
the counts ready made, LensKit its collection of lists; ours reads frames. recmetrics compares all pairs of users, so it
gets 2,000 of them. Peers may live in environments of their own: run the script once for each. Against RecTools, whose
margin is the least, also with rows in no order, ids that are text, and lists of different lengths. The case without a
peer is every measure of lists at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import harness

FEATURES = 64


def make(folder: Path, options: harness.Options) -> None:
    """Lists that hold no item twice, and interactions with a long tail."""
    import numpy as np

    rng = np.random.default_rng(7)
    users, k, items = options["users"], options["k"], options["items"]
    start, step = rng.integers(0, items, users), rng.integers(1, items // k, users)
    listed = (start[:, None] + step[:, None] * np.arange(k)) % items
    key = np.unique(rng.integers(0, users, 20 * users) * items + rng.zipf(1.3, 20 * users) % items)
    key = key[~np.isin(key, (np.arange(users)[:, None] * items + listed).ravel())]  # Recommenders refuses seen items
    taken = np.stack([key // items, key % items], 1)
    truth = np.concatenate([listed[:, :2], (listed[:, -1:] + step[:, None] * (1 + np.arange(3))) % items], axis=1)
    np.savez(
        folder / "data.npz",
        user=np.repeat(np.arange(users), k),
        item=listed.ravel(),
        rank=np.tile(np.arange(1, k + 1), users),
        train_user=taken[:, 0],
        train_item=taken[:, 1],
        judged_user=np.repeat(np.arange(users), 5),
        judged_item=truth.ravel(),
        features=rng.normal(size=(items, FEATURES)).astype(np.float32),
    )


def load(folder: Path) -> Any:
    import numpy as np

    return np.load(folder / "data.npz")


def _frames(data: Any, library: Any, options: harness.Options) -> tuple[Any, Any]:
    """The run and the training interactions, under the ids and in the order that the case asks for."""
    run = library.DataFrame({"user_id": data["user"], "item_id": data["item"], "rank": data["rank"]})
    train = library.DataFrame({"user_id": data["train_user"], "item_id": data["train_item"]})
    if options.get("lists") == "short":
        run = run[run["rank"] <= 1 + run["user_id"] % options["k"]].reset_index(drop=True)
    if options.get("rows") == "shuffled":
        run, train = (one.sample(frac=1, random_state=3).reset_index(drop=True) for one in (run, train))
    if options.get("ids") == "text":
        for one in (run, train):
            one["user_id"] = "user" + one["user_id"].astype(str)
            one["item_id"] = "item" + one["item_id"].astype(str)
    return run, train


def _items(options: harness.Options) -> Any:
    """The ids of the catalogue."""
    ids = range(options["items"])
    return [f"item{one}" for one in ids] if options.get("ids") == "text" else ids


def _ours(folder: Path, options: harness.Options, asked: dict[str, str], *, features: bool = False) -> harness.Work:
    """The measures asked for, by the peer's names."""
    import pandas as pd

    import rankmeter as rm

    data = load(folder)
    run, train = _frames(data, pd, options)
    ids = _items(options)
    items = rm.Catalogue(items=ids, features=data["features"]) if features else rm.Catalogue(items=ids)
    measures = list(asked.values())

    def work(rows: int | None = None) -> Any:
        return rm.evaluate(None, run.head(rows) if rows else run, measures, catalogue=items, history=train)

    work(options["k"])  # loads what is loaded lazily
    return work, lambda ev: {name: ev[measure] for name, measure in asked.items()}


RECTOOLS = {"coverage": "Coverage@20", "miuf": "MIUF@20", "arp": "ARP@20"}
RECOMMENDERS = {
    "coverage": "Coverage(of=history,outside=counted)@20",
    "entropy": "Entropy@20",
    "novelty": "Novelty(aggregate=pooled,cold=zero)@20",
}
RECMETRICS = {"personalisation": "Personalisation@20", "ild": "ILD@20"}
LENSKIT = {"gini": "Gini@20", "exposure": "ExposureGini@20"}
RECBOLE = {
    "coverage": "Coverage(padding=1)@20",
    "popularity": "ARP@20",
    "entropy": "Entropy(base=e,norm=distinct)@20",
    "gini": "Gini(padding=1)@20",
}


def ours_as_rectools(folder: Path, options: harness.Options) -> harness.Work:
    return _ours(folder, options, RECTOOLS)


def rectools(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd
    from rectools.metrics import AvgRecPopularity, CatalogCoverage, MeanInvUserFreq, calc_metrics

    run, train = _frames(load(folder), pd, options)
    asked = {
        "coverage": CatalogCoverage(k=20, normalize=True),
        "miuf": MeanInvUserFreq(k=20),
        "arp": AvgRecPopularity(k=20),
    }
    catalogue = _items(options)

    def work(rows: int | None = None) -> Any:
        return calc_metrics(asked, run.head(rows) if rows else run, prev_interactions=train, catalog=catalogue)

    work(20)
    return work, lambda found: {name: float(value) for name, value in found.items()}


def ours_as_recommenders(folder: Path, options: harness.Options) -> harness.Work:
    return _ours(folder, options, RECOMMENDERS)


def recommenders(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd
    from recommenders.evaluation import python_evaluation as peer

    run, train = _frames(load(folder), pd, options)
    names = {"col_user": "user_id", "col_item": "item_id"}

    def work() -> list[float]:
        functions = (peer.catalog_coverage, peer.distributional_coverage, peer.novelty)
        return [float(one(train, run, **names)) for one in functions]

    return work, lambda found: dict(zip(RECOMMENDERS, found, strict=True))


def ours_as_recmetrics(folder: Path, options: harness.Options) -> harness.Work:
    return _ours(folder, options, RECMETRICS, features=True)


def recmetrics(folder: Path, options: harness.Options) -> harness.Work:
    import pandas as pd
    import recmetrics as peer

    data = load(folder)
    lists = data["item"].reshape(-1, options["k"]).tolist()
    features = pd.DataFrame(data["features"].astype("float64"))
    return (
        lambda: (peer.personalization(lists), peer.intra_list_similarity(lists, features)),
        lambda found: {"personalisation": float(found[0]), "ild": 1 - float(found[1])},
    )


def ours_as_lenskit(folder: Path, options: harness.Options) -> harness.Work:
    return _ours(folder, options, LENSKIT)


def lenskit(folder: Path, options: harness.Options) -> harness.Work:
    import numpy as np
    from lenskit.data import ItemList, ItemListCollection, Vocabulary
    from lenskit.metrics import RunAnalysis
    from lenskit.metrics.ranking import ExposureGini, ListGini

    data = load(folder)
    vocabulary = Vocabulary(np.arange(options["items"]))
    lists = ItemListCollection(["user_id"])
    for user, items in enumerate(data["item"].reshape(-1, options["k"])):
        lists.add(ItemList(item_ids=items, vocabulary=vocabulary, ordered=True), user_id=user)
    analysis = RunAnalysis(ListGini(items=vocabulary), ExposureGini(items=vocabulary))
    return (
        lambda: analysis.measure(lists, lists),
        lambda found: dict(zip(LENSKIT, map(float, found.global_metrics()), strict=True)),
    )


def ours_as_recbole(folder: Path, options: harness.Options) -> harness.Work:
    return _ours(folder, options, RECBOLE)


def recbole(folder: Path, options: harness.Options) -> harness.Work:
    import numpy as np
    import torch
    from recbole.evaluator.metrics import AveragePopularity, GiniIndex, ItemCoverage, ShannonEntropy

    data = load(folder)
    taken = dict(enumerate(np.bincount(data["train_item"], minlength=options["items"]).tolist()))
    collected = {
        "rec.items": torch.from_numpy(data["item"].reshape(-1, options["k"])),
        "data.num_items": options["items"] + 1,
        "data.count_items": taken,
    }
    settings = {"topk": [options["k"]], "metric_decimal_place": 12}
    metrics = [one(settings) for one in (ItemCoverage, AveragePopularity, ShannonEntropy, GiniIndex)]
    return (
        lambda: [metric.calculate_metric(collected) for metric in metrics],
        lambda found: {name: float(*one.values()) for name, one in zip(RECBOLE, found, strict=True)},
    )


def everything(folder: Path, options: harness.Options) -> harness.Work:
    """All measures of lists at once, with judgments."""
    import numpy as np
    import pandas as pd

    import rankmeter as rm
    from rankmeter.measures import REGISTRY
    from rankmeter.measures.slate_base import SlateMeasure

    data, items = load(folder), options["items"]
    run, train = _frames(data, pd, options)
    truth = pd.DataFrame({"user_id": data["judged_user"], "item_id": data["judged_item"]})
    rng = np.random.default_rng(0)
    catalogue = rm.Catalogue(
        items=range(items),
        features=data["features"],
        categories=[f"c{item % 30}" for item in range(items)],
        values=rng.random(items),
        margins=rng.normal(size=items),
        groups=[f"g{item % 4}" for item in range(items)],
    )
    names = [name for name, one in REGISTRY.items() if isinstance(one, SlateMeasure) and name != "SegmentGap"]
    asked = [f"{name}@{options['k']}" for name in names]

    def work(rows: int | None = None) -> Any:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rm.RankmeterWarning)  # made-up data may leak
            part = run.head(rows) if rows else run
            return rm.evaluate(truth, part, asked, catalogue=catalogue, history=train)

    work(options["k"])
    return work, lambda _: {}


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--only", default="", help="only the cases whose names hold this text")
    args = parser.parse_args()
    options = {"users": args.users, "items": args.items, "k": 20}
    few = {"users": min(args.users, 2_000), "items": min(args.items, 2_000), "k": 20}
    pairs = [
        harness.Pair(harness.Entrant(f"ours_as_{peer}"), harness.Entrant(peer, peer), 10.0)
        for peer in ("rectools", "recommenders", "recbole", "lenskit")
    ]
    quadratic = [harness.Pair(harness.Entrant("ours_as_recmetrics"), harness.Entrant("recmetrics", "recmetrics"), 10.0)]
    rectools_pair = pairs[:1]
    harder = [
        harness.Case(f"lists: {args.users:,} users x 20, {what}", {**options, **more}, rectools_pair)
        for what, more in {
            "shuffled rows": {"rows": "shuffled"},
            "text ids": {"ids": "text"},
            "text ids, shuffled rows": {"ids": "text", "rows": "shuffled"},
            "lists of 1 to 20": {"lists": "short"},
        }.items()
    ]
    cases = [
        harness.Case(f"lists: {args.users:,} users x 20", options, pairs),
        *harder,
        harness.Case(f"lists: {few['users']:,} users x 20", few, quadratic),
        harness.Case(
            f"lists: {args.users:,} users x 20, every measure", options, alone=[harness.Entrant("everything")]
        ),
    ]
    harness.run(__file__, args, [case for case in cases if args.only in case.label])


if __name__ == "__main__":
    main()
