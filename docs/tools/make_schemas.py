"""Write ``docs/reference/schema``: a JSON Schema of what each command answers to ``--format json``.

``python docs/tools/make_schemas.py`` runs every command on made-up files and looks at what it answers. In these files
all names begin with a capital letter, so a key that does not look like a word of ours is data (a query, a system, a
measure): such an object is described by what its values have in common. A test runs the commands on other files and
checks every answer against what is committed.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from rankmeter.cli import app
from rankmeter.cli.application import COMMANDS
from rankmeter.cli.output import SCHEMA

HERE = Path(__file__).parents[1] / "reference/schema"
FILES_ONLY = ("demo", "trec_eval", "judge page", "baselines")
"""Commands whose answer is files, or the output of another program: they have no --format."""
OPEN = ("definitions", "options")
"""Objects whose keys are the options of measures, of which each has its own: nothing is said of what they hold."""
Style = Callable[[str], str]

RUNS = "{a}.run {b}.run"
FEW = "--resamples 200 --permutations 200"
CALLS = f"""
evaluate judged.qrels {RUNS} -m nDCG@5 -m RR -m AP
evaluate judged.qrels {RUNS} -m nDCG@5 -m RR --interval --per-query --digits 3
evaluate judged.qrels {RUNS} -m P@5 --interval --by kinds.csv:kind
evaluate judged.qrels {RUNS} -m P@5 --by kinds.csv:kind
evaluate judged.qrels {{a}}.run --dialect recbole -m MRR@10
evaluate judged.csv purchased.csv -m R@5 -m Coverage@5 --catalogue items.csv --for recommendation
compare judged.qrels {RUNS} -m nDCG@5 -m RR {FEW}
compare judged.qrels {RUNS} -m nDCG@5 {FEW} --by kinds.csv:kind
compare judged.qrels {RUNS} -m nDCG@5 {FEW} --units kinds.csv
table table.csv --id id --group shelf --score model --truth sales
table table.csv --id id --score model --truth sales
explain nDCG@5
explain nDCG@5 judged.qrels {{a}}.run --query {{q}}1
explain AP judged.qrels {{a}}.run --query {{q}}1
explain elasticsearch:rrf
reconcile judged.qrels {{a}}.run --claim nDCG@5=0.5 --claim RR=0.123 --changes 1
reconcile judged.qrels {{a}}.run --between trec_eval,recbole -m NDCG@10
reconcile judged.qrels {{a}}.run --between trec_eval,recbole -m NDCG@10 -m Recall@5
measures
measures hit
dialects
dialects recbole
advise judged.qrels {RUNS}
advise judged.csv purchased.csv --for recommendation
judge pool judged.qrels {RUNS} --depth 5
judge draw judged.qrels --queries 4
judge draw whole.qrels {{a}}.run --items 10
judge agreement judged.qrels again.qrels --scale 0..3
judge agreement judged.qrels again.qrels third.qrels
judge leaderboards judged.qrels again.qrels {RUNS} -m nDCG@5
check --function statistics:mean --arguments relevances --as P@5
check --function statistics:mean --arguments relevances --as P@5 --hunt 20
rank_eval request.json responses.json
fuse {RUNS} --explain {{q}}1
fuse {RUNS} --reconcile {{a}}.run
tune judged.qrels {RUNS} -m AP --grid how=rrf,wsum --folds 3
ablate judged.qrels {RUNS} -m AP
silence some.qrels {{a}}.run
evidence gold.csv {{a}}.csv -m StRecall@5
evidence gold.csv {{a}}.csv {{b}}.csv --budgets 60,190
nuggets labels.csv
nuggets labels.csv --against labels2.csv
online events.csv
online events.csv --by variant
online events.csv -m CTR --control {{v}}1 --segments country
judgments-from-clicks events.csv --least-evidence 1 --least-users 1
counterfactual choices.csv
interleave make {RUNS}
interleave score clicks.csv
agreement past.csv --offline Ndcg --offline Rr
split interactions.csv --how last_n(1)
protocol parts/train.csv parts/test.csv
audit --claim HR@10=0.3574 --claim NDCG@10=0.45 --queries 1000
audit printed.csv --queries 1000
across scores.csv --resamples 200
across scores.csv --resamples 200 --control {{a}} --rope 0.01
across scores.csv --resamples 200 --difference {{a}} {{b}}
history kept --append saved/{{a}} --system {{a}}
history kept
ann-recall {RUNS} -k 2 -k 3
"""


def world(folder: Path, style: Style, seed: int) -> dict[str, str]:  # noqa: PLR0915 (one file after another)
    """Write the files that the calls read; the names in them."""
    words = {"a": "keyword", "b": "hybrid", "q": "query", "v": "variant", "d": "item"}
    names = {short: style(name) for short, name in words.items()}
    draw = random.Random(seed)  # noqa: S311 (made-up data)
    queries, items = ([f"{names[kind]}{n}" for n in range(count)] for kind, count in (("q", 20), ("d", 30)))

    def table(path: str, head: str, rows: Iterable[Iterable[object]], between: str = ",") -> None:
        lines = [head] * bool(head) + [between.join(map(str, row)) for row in rows]
        (folder / path).write_text("\n".join(lines) + "\n", encoding="utf-8")

    pairs = [(query, item) for query in queries for item in draw.sample(items, 12)]
    grades = {pair: draw.choice((0, 0, 1, 2, 3)) for pair in pairs}
    for path in ("judged.qrels", "again.qrels", "third.qrels"):
        table(
            path, "", ((q, 0, d, g if draw.random() < 0.7 else draw.randint(0, 3)) for (q, d), g in grades.items()), " "
        )
    table("whole.qrels", "", ((q, 0, d, draw.randint(0, 3)) for q in queries for d in items), " ")
    table("some.qrels", "", ((q, 0, d, g if int(q[-1]) % 3 else 0) for (q, d), g in grades.items()), " ")
    table("judged.csv", "user,item", ((q, d) for (q, d), g in grades.items() if g > 1))
    table("purchased.csv", "user,item,score", ((q, d, draw.random()) for q in queries for d in draw.sample(items, 10)))
    table("items.csv", "item,genre", ((d, style(draw.choice(("crafts", "novel")))) for d in items))
    for name in (names["a"], names["b"]):
        rows = (
            (q, "Q0", d, 1, grades.get((q, d), 0) + 2 * draw.random(), name)
            for q in queries
            for d in draw.sample(items, 15)
        )
        table(f"{name}.run", "", rows, " ")
        chunks = ((q, f"{names['d']}{n}", s := draw.randrange(300), s + 50) for q in queries for n in range(6))
        table(f"{name}.csv", "query,document,start,end", chunks)
    table(
        "gold.csv",
        "query,document,start,end",
        ((q, f"{names['d']}{n}", 60 * n, 60 * n + 90) for q in queries for n in range(3)),
    )
    table("kinds.csv", "query,kind", ((q, style("long" if at % 2 else "short")) for at, q in enumerate(queries)))
    table(
        "table.csv",
        "id,shelf,model,sales",
        ((d, style(f"shelf{at % 3}"), draw.random(), draw.randrange(40)) for at, d in enumerate(items)),
    )
    for path in ("labels.csv", "labels2.csv"):
        told = (
            (q, style(f"fact{n}"), ("vital", "okay")[n % 2], draw.choice(("support", "partial_support", "not_support")))
            for q in queries
            for n in range(4)
        )
        table(path, "query,nugget,importance,support", told)
    events = []
    for n in range(120):
        who, country = f"U{n % 40}", style(("north", "south")[n % 2])
        for at, item in enumerate(draw.sample(items[:8], 4)):
            row = (who, f"R{n}", queries[n % 5], item, at + 1, f"{names['v']}{1 + n % 40 % 2}", country)
            events.append((f"2026-01-{1 + n // 6:02}T10:{n % 60:02}:{2 * at:02}", "impression", *row))
            if draw.random() < 0.5 / (at + 1):
                events.append((f"2026-01-{1 + n // 6:02}T10:{n % 60:02}:{2 * at + 1:02}", "click", *row))
    table("events.csv", "time,type,user,request,query,item,position,variant,country", events)
    table("choices.csv", "reward,logged,target,user", ((draw.randint(0, 1), 0.5, 0.4, f"U{n}") for n in range(200)))
    table("clicks.csv", "user,request,team", ((f"U{n % 30}", f"R{n}", draw.choice("AAB")) for n in range(60)))
    table("past.csv", "online,Ndcg,Rr", ((n / 10, n / 9 + draw.random() / 5, draw.random()) for n in range(12)))
    seen = [(q, d, 1_700_000_000 + draw.randrange(10**6)) for q in queries for d in draw.sample(items, 5)]
    table("interactions.csv", "user,item,time", seen)
    (folder / "parts").mkdir()
    table("parts/train.csv", "user,item,time", seen[:70])
    table("parts/test.csv", "user,item,time", seen[70:])
    table(
        "scores.csv",
        "model,task,score",
        ((m, f"T{t}", round(draw.random(), 3)) for m in (names["a"], names["b"], style("third")) for t in range(8)),
    )
    table("printed.csv", "model,HR@10,NDCG@10", ((names["a"], "0.357", "0.251"), (names["b"], "0.341", "0.412")))
    ratings = [{"_index": "i", "_id": d, "rating": draw.randint(0, 3)} for d in items[:5]]
    hits = [{"_index": "i", "_id": d, "_score": 9.0 - at} for at, d in enumerate(items[2:9])]
    body = {"requests": [{"id": queries[0], "request": {}, "ratings": ratings}], "metric": {"precision": {"k": 5}}}
    (folder / "request.json").write_text(json.dumps(body))
    (folder / "responses.json").write_text(json.dumps({queries[0]: {"hits": {"hits": hits}}}))
    (folder / "saved").mkdir()
    with chdir(folder):
        save = ["evaluate", "judged.qrels", f"{names['a']}.run", "-m", "RR", "--save", f"saved/{names['a']}", "-q"]
        if (done := CliRunner().invoke(app, save)).exit_code:
            raise SystemExit(done.stderr)
    return names


def answers(folder: Path, style: Style, seed: int) -> Iterator[tuple[str, str, Any]]:
    """Each call in a folder of new files: the command, the call, what it answers."""
    names = world(folder, style, seed)
    with chdir(folder):
        for line in filter(None, CALLS.splitlines()):
            words = line.format(**names).split()
            command = next(" ".join(words[:n]) for n in (2, 1) if " ".join(words[:n]) in known())
            done = CliRunner().invoke(app, [*words, "--format", "json"])
            if done.exit_code not in (0, 1) or not done.stdout:
                raise SystemExit(f"{' '.join(words)}: {done.exit_code} {done.stderr} {done.exception!r}")
            yield command, " ".join(words), json.loads(done.stdout)


def known() -> list[str]:
    """Every command that has ``--format json``, those under a roof with two words."""
    found: list[str] = []
    context = click.Context(app)
    for name in dict.fromkeys(name.partition(" ")[0] for name in COMMANDS):
        command = app.get_command(context, name)
        inner = command.commands if isinstance(command, click.Group) else {"": command}
        for below, one in inner.items():
            formats = [option for option in one.params if "--format" in option.opts]
            if formats and "json" in formats[0].type.choices:  # type: ignore[attr-defined]
                found.append(f"{name} {below}".strip())
    return found


def described(values: list[Any]) -> dict[str, Any]:
    """What several values have in common."""
    if all(value is None for value in values):
        return {}  # nothing is known of it
    objects = [value for value in values if isinstance(value, dict)]
    lists = [value for value in values if isinstance(value, list)]
    kinds = {kind_of(value) for value in values}
    if "number" in kinds:
        kinds = {*kinds, "null"} - {"integer"}  # a number that does not exist is null
    schema: dict[str, Any] = {"type": sorted(kinds) if len(kinds) > 1 else next(iter(kinds), "null")}
    if objects:
        keys = list(dict.fromkeys(key for each in objects for key in each))
        if all(re.fullmatch("[a-z][a-z0-9_]*", key) for key in keys):
            if keys:
                seen = {key: [each[key] for each in objects if key in each] for key in keys}
                schema["properties"] = {
                    key: {"type": "object"} if key in OPEN and isinstance(some[0], dict) else described(some)
                    for key, some in seen.items()
                }
            if always := [key for key in keys if all(key in each for each in objects)]:
                schema["required"] = always
        else:
            schema["additionalProperties"] = described([part for each in objects for part in each.values()])
    if inside := [part for each in lists for part in each]:
        schema["items"] = described(inside)
    return schema


def kind_of(value: Any) -> str:
    """The type of a value, as JSON Schema calls it."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
    return kinds.get(type(value), "null")


def written() -> dict[Path, str]:
    """The text of every file."""
    told: dict[str, list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for command, _, answer in answers(Path(folder), str.capitalize, 1):
            told.setdefault(command, []).append(answer)
    texts = {}
    for command, several in sorted(told.items()):
        name = command.replace(" ", "-")
        schema = described(several)
        schema["properties"]["schema"] = {"const": f"rankmeter/{name}/{SCHEMA}"}
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"rankmeter {command} --format json",
        }
        texts[HERE / f"{name}.json"] = json.dumps(head | schema, indent=1, ensure_ascii=False) + "\n"
    return texts


def main() -> None:
    """Write the files."""
    os.environ["RANKMETER_LANG"] = "en"
    HERE.mkdir(exist_ok=True)
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(known())} schemas\n")


if __name__ == "__main__":
    main()
