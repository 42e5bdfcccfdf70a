"""What is said about a measure: complete for all of them, in both languages, and about the values in force."""

from __future__ import annotations

import pytest

from rankmeter.definitions.explain import conventions_in_short, explain_measure
from rankmeter.errors import InputError, NotFoundError
from rankmeter.measures import REGISTRY, nDCG, parse
from rankmeter.measures.base import rule_of
from rankmeter.measures.prose import LANGUAGES, Language, read_convention, read_prose


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", REGISTRY)
def test_every_option_of_every_measure_is_explained(name: str, language: Language) -> None:
    told = explain_measure(name, language=language)
    assert [one.name for one in told.conventions if not one.decides] == []
    assert {one.name for one in told.conventions} == set(REGISTRY[name].describe()) - {"measure"}
    for one in told.conventions:
        rule = rule_of(type(REGISTRY[name]).__dataclass_fields__[one.name])
        is_word = not rule.number or one.value in rule.choices  # a number needs no words of its own
        assert not rule.choices or not is_word or one.meaning, one
    assert told.title in told.to_text()
    assert told.formula in told.to_markdown()


def test_norm_means_something_else_in_each_measure() -> None:
    meanings = {name: read_convention(name, "norm", "capped").decides for name in ("AP", "P", "R", "SetP")}
    assert len(set(meanings.values())) == 4


def test_a_map_of_gains_is_explained_as_a_map() -> None:
    told = explain_measure(nDCG(gain={1: 3, 2: 9}))
    gain = next(one for one in told.conventions if one.name == "gain")
    assert gain.value == "{1:3,2:9}"
    assert gain.meaning.startswith("A table from grade to gain")


def test_stated_options_come_first_and_the_formula_says_that_it_differs() -> None:
    told = explain_measure("nDCG(discount=jk,queries=common)@10")
    assert [one.name for one in told.conventions[:3]] == ["cutoff", "discount", "queries"]
    assert told.formula_note.endswith("differs in discount=jk, queries=common.")
    assert explain_measure("nDCG@10").formula_note == ""


def test_short_conventions_leave_out_what_the_string_says() -> None:
    assert conventions_in_short(parse("AP(norm=capped)@10")) == "rel=1, ties=item, empty=zero, queries=judged"
    assert "max_grade=4" in conventions_in_short(parse("ERR"))


def test_text_is_filled_to_a_width_and_lines_of_examples_begin_lines() -> None:
    told = explain_measure("nDCG@10")
    filled = told.to_text(width=80).splitlines()
    assert max(map(len, filled)) <= 80
    for line in told.example.splitlines():
        at = next(number for number, shown in enumerate(filled) if shown.strip() and f"  {line}".startswith(shown))
        assert " ".join(" ".join(filled[at : at + 4]).split()).startswith(" ".join(line.split()))


def test_what_is_not_written_is_not_found() -> None:
    for name in ("Nothing", "conventions", "../AP"):
        with pytest.raises(NotFoundError):
            read_prose(name)
    with pytest.raises(InputError, match="one of en, zh"):
        read_prose("AP", "fr")  # type: ignore[arg-type]


ONLINE = pytest.mark.wings("online")


@pytest.mark.parametrize(
    ("measure", "values"),
    [
        ("NumRet", "0 or more, neither higher nor lower is better"),
        ("NumRelRet", "0 or more, higher is better"),
        pytest.param("SessionDuration", "0 or more, neither higher nor lower is better", marks=ONLINE),
        pytest.param("SessionDuration(better=lower)", "0 or more, lower is better", marks=ONLINE),
        ("Margin", "any number, higher is better"),
    ],
)
def test_the_direction_is_stated_only_where_a_measure_has_one(measure: str, values: str) -> None:
    assert explain_measure(measure).values == values
