"""Random responses, tables and logs that say something against themselves: a value never comes without a word.

The rule: where an input says that it is not whole, that its order is another or that its rows do not count, it is
refused, or a note names it. Each case is drawn from its seed alone.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmeter as rm

pytestmark = [pytest.mark.wings("engines", "online"), pytest.mark.filterwarnings("ignore::UserWarning")]

ENGINES = json.loads((Path(__file__).parent / "recorded" / "incomplete.json").read_text(encoding="utf-8"))
CASES = 40
"""Cases of each seed."""

FLAGS = (
    "timed_out is_partial is_running partial_results search_cutoff degraded truncated incomplete terminated_early "
    "has_error is_truncated partial timeout_hits aborted limit_reached partial_failure"
).split()
DENIALS = "success ok complete is_complete finished done acknowledged is_final".split()
ERRORS = "error errors exception failure fault error_message err exceptions".split()
STATEMENTS: list[tuple[str, Any]] = [
    ("status", "failed"), ("status", 503), ("status", "504 Gateway Timeout"), ("http_status", 500),
    ("state", "RUNNING"), ("status_code", "429"), ("status", "PARTIAL"), ("query_status", "cancelled"), ("code", 502),
    ("status", 206), ("completeness", "partial"), ("percent_complete", 40), ("from", 10), ("offset", "20"),
    ("start", 30), ("skip", 5), ("page_number", 2), ("first_result", 10), ("prev_page_token", "x"),
    ("previous", "/p1"), ("request", {"from": 10}), ("request", '{"from": 5}'),
    ("url", "http://127.0.0.1/s?q=a&start=20"), ("pagination", {"page": 2}), ("body", {"search_after": [1]}),
    ("_shards", {"total": 5, "successful": 4, "failed": 0}), ("shards", {"total": "3", "successful": "2"}),
    ("_clusters", {"details": {"eu": {"status": "partial"}}}), ("coverage", {"full": False}),
    ("coverage", {"coverage": 61}), ("responseHeader", {"status": 1}), ("shards.info", {"s1": {"error": "x"}}),
    ("meta", {"timed_out": True}), ("ResponseMetadata", {"HTTPStatusCode": 500}),
    ("warnings", ["Timeout limit was reached"]), ("message", "Request timed out"), ("failures", [{"shard": 0}]),
]  # fmt: skip
ORDERS = (
    "rank position _rank pos rerank_score rerankerScore final_score cross_encoder_score score _score similarity "
    "distance _distance relevance_score relevance 排名 得分 名次 score_reranked fusion_score dense_score "
    "vector_distance"
).split()
SCORES = ("score", "_score", "relevance", "distance", "_rankingScore", "@search.score", "text_match")


def hits_of(value: Any) -> list[dict[str, Any]] | None:
    """The list of results in a response."""
    if isinstance(value, list):
        if len(value) > 1 and all(isinstance(one, dict) for one in value):
            return value
        return next((found for one in value if (found := hits_of(one)) is not None), None)
    inner = value.values() if isinstance(value, dict) else ()
    return next((found for one in inner if (found := hits_of(one)) is not None), None)


def spelled(draw: random.Random, name: str) -> str:
    """A name in one of the usual ways of writing names."""
    first, *rest = name.split("_")
    camel = "".join([first, *(word.title() for word in rest)])
    return draw.choice([name, camel, name.replace("_", "-"), camel[:1].upper() + camel[1:], name.upper()])


def statement(draw: random.Random) -> tuple[str, Any]:
    """A field and what it says of the whole response."""
    return draw.choice([
        (spelled(draw, draw.choice(FLAGS)), draw.choice([True, "true", 1, "yes"])),
        (spelled(draw, draw.choice(DENIALS)), draw.choice([False, "false"])),
        (spelled(draw, draw.choice(ERRORS)), draw.choice(["boom", {"message": "x"}, ["gone"], {"code": 503}])),
        copy.deepcopy(draw.choice(STATEMENTS)),
        copy.deepcopy(draw.choice(STATEMENTS)),
    ])  # fmt: skip


def contradicted(draw: random.Random, hits: list[dict[str, Any]]) -> str:
    """Give results a field that contradicts their order, or that is not what it should be."""
    name = draw.choice(ORDERS)
    is_rank = name in ("rank", "position", "_rank", "pos", "排名", "名次")
    wrong = [2, 1] if is_rank or "distance" in name else [1, 2]
    as_text = ["10", "9"] if wrong == [2, 1] else ["9", "10"]
    values = draw.choice([wrong, as_text, ["foo", wrong[1]], [wrong[0], float("nan")], [None, wrong[1]]])
    if any(not isinstance(value, (int, str)) or value == "foo" for value in values) and "dense" in name:
        values = wrong
    for hit, value in zip(hits, values, strict=False):
        for score in SCORES:
            hit.pop(score, None)
        if value is not None:
            hit[name] = value
    return f"{name}: {values}"


def kept(draw: random.Random, response: dict[str, Any], folder: Path) -> Any:
    """A response for query q1 as people keep them, as an object or in a file."""
    made: Any = draw.choice([
        {"q1": response}, [{"query_id": "q1", "response": response}], [{"qid": "q1", "latency": 3, "result": response}],
        [{"question": "q1", "output": response}], [{**response, "query_id": "q1"}],
        [{"query": "q1", "body": {"response": response}}],
    ])  # fmt: skip
    way = draw.choice(["object", "json", "jsonl"])
    if way == "object":
        return made
    lines = way == "jsonl" and isinstance(made, list)
    path = folder / ("run.jsonl" if lines else "run.json")
    rows = [json.dumps(row) + "\n" for row in made] if lines else [json.dumps(made, ensure_ascii=draw.random() < 0.5)]
    path.write_text("".join(rows), encoding="utf-8")
    return path


def heard(truth: Any, run: Any) -> bool:
    """Whether a run is refused with a sentence, or read with a note."""
    try:
        return bool(rm.evaluate(truth, run, "RR").reading.notes)
    except rm.RankmeterError as error:
        return error.text("zh") != error.text("en")


@pytest.mark.parametrize("seed", range(4))
def test_no_response_that_says_that_it_is_not_whole_is_a_value_in_silence(seed, tmp_path):
    draw = random.Random(f"whole{seed}")
    for _ in range(CASES):
        engine = draw.choice(list(ENGINES))
        response = copy.deepcopy(ENGINES[engine]["whole"])
        key, value = statement(draw)
        if isinstance(response.get(key), dict) and isinstance(value, dict):
            value = {**response[key], **value}
        if isinstance(response.get(key), (dict, list)) and not isinstance(value, dict):
            continue  # this engine keeps something else there
        response[key] = value
        item = 2 if engine in ("Qdrant", "Milvus") else "d2"
        assert heard({"q1": [item]}, kept(draw, response, tmp_path)), (engine, key, value)


@pytest.mark.parametrize("seed", range(4))
def test_no_order_that_results_contradict_is_a_value_in_silence(seed, tmp_path):
    draw = random.Random(f"order{seed}")
    engines = [engine for engine in ENGINES if hits_of(ENGINES[engine]["whole"]) is not None]
    for _ in range(CASES):
        engine = draw.choice(engines)
        response = copy.deepcopy(ENGINES[engine]["whole"])
        said = contradicted(draw, hits_of(response) or [])
        if engine == "Milvus" and said.startswith("distance"):  # which may be a similarity there
            continue
        item = 2 if engine in ("Qdrant", "Milvus") else "d2"
        assert heard({"q1": [item]}, kept(draw, response, tmp_path)), (engine, said)


BESIDE: dict[str, tuple[Any, Any]] = {
    "deleted": (0, 1), "error": ("", "timeout"), "is_partial": (False, True), "valid": (1, 0),
    "excluded": ("no", "yes"), "status": ("ok", "failed"), "已删除": (0, 1), "system": ("A", "B"), "run_id": ("A", "B"),
    "模型": ("A", "B"),
}  # fmt: skip
OTHER_ORDERS = (
    "rerank_score",
    "new_rank",
    "cosine_distance",
    "my_rank",
    "distance",
    "fused_score",
    "新排名",
    "score_2",
)
NAMES = (("查询", "文档"), ("用户id", "商品编号"), ("qid", "docno"), ("user_id", "movieId"), ("Query ID", "doc-id"))


def as_given(draw: random.Random, frame: pl.DataFrame, folder: Path) -> Any:
    """A table by one of the ways in."""
    way = draw.choice(["polars", "pandas", "records", "columns", "csv", "ndjson", "parquet"])
    if way in ("csv", "ndjson", "parquet"):
        path = folder / f"table.{way}"
        getattr(frame, f"write_{way}")(path)
        return path
    return (
        {"polars": frame, "records": frame.to_dicts(), "columns": frame.to_dict(as_series=False)}.get(way)
        if way != "pandas"
        else frame.to_pandas()
    )


@pytest.mark.parametrize("seed", range(4))
def test_no_table_whose_columns_speak_against_it_is_a_value_in_silence(seed, tmp_path):
    draw = random.Random(f"table{seed}")
    for _ in range(CASES):
        query, item = draw.choice(NAMES)
        order = draw.choice(["score", "rank", "得分", "排名", "y_pred", "position"])
        size = draw.choice([2, 3, 5])
        places = list(range(1, size + 1))
        falling = [float(size - place) for place in range(size)]
        columns = {query: ["q"] * size, item: [f"d{place}" for place in range(size)]}
        columns[order] = places if order in ("rank", "排名", "position") else falling
        if draw.random() < 0.5:
            name = draw.choice(OTHER_ORDERS)
            columns[name] = falling if name.endswith(("rank", "distance", "排名")) else list(map(float, places))
        else:
            name, (calm, against) = draw.choice(list(BESIDE.items()))
            columns[name] = [calm] * (size - 1) + [against]
        assert heard({"q": ["d1"]}, as_given(draw, pl.DataFrame(columns), tmp_path)), (order, name)


WORDS = {"impression": ("impression", "曝光"), "click": ("click", "点击"), "conversion": ("purchase", "购买")}
FOREIGN = "impresión clic compra 표시 クリック Klick Kauf 加购 foo 搜索 купить achat".split()
COUNTED = {"impression": "CTR", "click": "CTR", "conversion": "Conversions"}
CLICKED = {
    "CTR": ("clicked", "点击", "n_clicks", "did_click"),
    "Conversions": ("purchased", "converted", "n_purchases"),
}


@pytest.mark.parametrize("seed", range(4))
def test_no_log_with_words_or_flags_that_nobody_knows_counts_them_as_nothing(seed, tmp_path):
    draw = random.Random(f"log{seed}")
    for _ in range(CASES // 2):
        kind = draw.choice(list(WORDS))
        words = {name: draw.choice(usual) for name, usual in WORDS.items()}
        words[kind] = draw.choice(FOREIGN)
        types = [words["impression"]] * 4 + [words["click"]] * 2 + [words["conversion"]] * 2
        measure, columns = COUNTED[kind], {}
        if draw.random() < 0.4:
            measure = draw.choice(list(CLICKED))
            types, columns = ["impression"] * 8, {draw.choice(CLICKED[measure]): [1, 0] * 4}
        time, user, named = draw.choice(
            [("time", "user", "type"), ("时间", "用户", "事件类型"), ("ts", "uid", "event")]
        )
        log = pl.DataFrame({
            time: [1_700_000_000 + place for place in range(8)], user: [f"u{place % 3}" for place in range(8)],
            named: types, **columns,
        })  # fmt: skip
        source = draw.choice([log, log.to_dicts(), log.to_pandas()])
        with pytest.raises(rm.RankmeterError):
            pytest.fail(f"{types} {list(columns)}: {rm.online.evaluate(source, [measure])}")


@pytest.mark.parametrize("column", ["count", "is_bot", "deleted", "weight", "次数"])
@pytest.mark.parametrize("way", ["csv", "records"])
def test_a_column_of_a_log_that_is_not_read_is_named(way, column, tmp_path):
    log = pl.DataFrame({"time": [1_700_000_000, 1_700_000_001], "user": ["u", "u"], "type": ["impression", "click"],
                        column: [100, 1]})  # fmt: skip
    log.write_csv(path := tmp_path / "log.csv")
    found = rm.online.evaluate(path if way == "csv" else log.to_dicts(), "CTR")
    assert any("not used" in str(sentence) and column in str(sentence) for sentence in found.sentences())


@pytest.mark.parametrize("way", ["json", "jsonl"])
def test_a_key_that_stands_twice_in_an_event_is_refused(way, tmp_path):
    events = ['{"time": 1700000000, "user": "u", "type": "click", "type": "impression"}'] * 2
    path = tmp_path / f"log.{way}"
    path.write_text(f"[{','.join(events)}]" if way == "json" else "\n".join(events))
    with pytest.raises(rm.InputError, match="type"):
        rm.online.evaluate(path, "CTR")


@pytest.mark.parametrize("items", [[2, "d1", "d2"], ["d1", 7], [1, "1.5", "d1"]])
def test_a_list_of_numbers_and_text_is_said(items):
    """As where the raw answer of Redis is taken for a list of ids: it begins with a count."""
    assert any("numbers and text" in note for note in rm.evaluate({"q": ["d1"]}, {"q": items}, "RR").reading.notes)
    assert not rm.evaluate({"q": ["d1"], "r": ["d1"]}, {"q": ["d1"], "r": ["d2"]}, "RR").reading.notes
