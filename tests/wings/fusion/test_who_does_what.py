"""What is told of a fusion under the names that people have for it."""

import json

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli.application import app
from rankmeter.errors import MeasureError
from rankmeter.wings import table
from rankmeter.wings.fusion.definition import NORMS
from rankmeter.wings.fusion.known_methods import METHODS
from rankmeter.wings.fusion.tool_fusions import tool_fusions

WORDS = {part for name in tool_fusions() for part in name.split(":")}


def is_measure(name):
    try:
        rm.parse(name)
    except MeasureError:
        return False
    return True


def test_every_method_norm_tool_and_its_own_names_are_explained_and_none_is_a_measure():
    expected = {name for name in {*METHODS, *NORMS, *WORDS} - {"none", "+"} if not is_measure(name)}
    ours = {name for name, module in table.EXPLAINED.items() if ".fusion." in module}
    assert ours == expected


@pytest.mark.parametrize("name", sorted({*METHODS, *NORMS, *tool_fusions(), *(WORDS - {"mrr"})} - {"none", "+"}))
def test_each_name_shows_what_each_tool_does_with_the_score_that_fusing_gives(name):
    told = rm.explain(name)
    assert told.rows
    runs = {"one": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "other": {"q": {"b": 0.9, "a": 0.6, "d": 0.5}}}
    for row in told.rows:
        assert row.definition == str(rm.Fusion.of(row.name))
        if row.gives is not None:
            assert row.gives == rm.fuse(runs, row.name).to_dict()["q"]["a"]
    if ":" in name:
        assert name in [row.name for row in told.rows]
        assert told.definition == rm.Fusion.of(name)


def test_reciprocal_ranks_are_many_numbers_and_min_max_of_equal_scores_too():
    rrf = rm.explain("rrf").rows
    assert {"rrf", "elasticsearch:rrf", "qdrant:rrf", "weaviate:ranked", "llama_index:reciprocal_rerank",
            "haystack:reciprocal_rank_fusion", "txtai:rrf"} <= {row.name for row in rrf}  # fmt: skip
    assert len({round(row.gives, 9) for row in rrf}) >= 6
    assert {row.equal for row in rm.explain("min-max").rows} >= {"0", "1", "sign"}
    assert rm.explain("rrf(k=10)").definition.k == 10


def test_what_is_neither_measure_nor_fusion_is_refused():
    with pytest.raises(MeasureError, match="unknown measure"):
        rm.explain("rrrf")
    with pytest.raises(rm.InputError, match="dbsf"):
        rm.explain("qdrant:dbfs")
    with pytest.raises(MeasureError, match="unknown measure"):
        rm.explain("rrf", {"q": {"a": 1}}, {"q": ["a"]}, query="q")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_shows_the_table(lang):
    made = CliRunner().invoke(app, ["explain", "rrf", "--lang", lang])
    assert made.exit_code == 0, made.output
    assert "qdrant:rrf" in made.stdout
    assert {"en": "Who does what", "zh": "各工具的做法"}[lang] in made.stdout
    told = json.loads(CliRunner().invoke(app, ["explain", "elasticsearch:rrf", "--format", "json"]).stdout)
    assert told.pop("schema") == "rankmeter/explain/1"
    assert told == json.loads(rm.explain("elasticsearch:rrf").to_json())
    assert CliRunner().invoke(app, ["explain", "qdrant:dbfs"]).exit_code == 2
