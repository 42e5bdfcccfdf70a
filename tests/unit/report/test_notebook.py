"""How results show themselves in a notebook."""

from __future__ import annotations

import re

import pytest

import rankmeter as rm

TRUTH = {i: {0} for i in range(40)}
GOOD = {i: [0, 1] if i % 8 else [1, 0] for i in range(40)}
POOR = {i: [1, 0] if i % 8 else [0, 1] for i in range(40)}


@pytest.fixture(scope="module")
def shown() -> str:
    systems = {"<b>good</b>": GOOD, "poor": POOR}
    return rm.compare(TRUTH, systems, ["RR", "NumRet"], permutations=500, resamples=500)._repr_html_()


def test_intervals_are_drawn_and_the_best_group_is_marked(shown) -> None:
    # One interval for each system under RR, none under a count; the band of the better one ends at the right.
    bands = [
        tuple(map(float, ends)) for ends in re.findall(r"class='band' style='left:([\d.]+)%;width:([\d.]+)%", shown)
    ]
    assert len(bands) == 2
    assert sum(bands[0]) == pytest.approx(100, abs=0.2)
    assert bands[1][0] == 0
    assert shown.count("<tr class='best'") == 1
    assert "█" not in shown


def test_every_text_is_escaped_and_nothing_is_loaded(shown) -> None:
    assert "&lt;b&gt;good&lt;/b&gt;" in shown
    assert "<b>good" not in shown
    assert not re.search(r"https?:|src=|url\(", shown)


CONTROLS = ("\x1b[31m", "\x9b", "\x07", "\u202e", "\u2028", "\ud800")


@pytest.mark.parametrize("control", CONTROLS)
def test_no_name_controls_what_shows_it(control) -> None:
    name = f"X{control}Y"
    ev = rm.evaluate(TRUTH, GOOD, ["RR"], name=name)
    cmp = rm.compare(TRUTH, {name: GOOD, "poor": POOR}, ["RR", "AP"], permutations=100, resamples=100)
    for result in (ev, cmp):
        for shown in (repr(result), str(result), result._repr_html_()):
            assert "X" in shown
            assert control[0] not in shown, control
    assert len(repr(rm.evaluate(TRUTH, GOOD, ["RR"], name="two\nlines")).splitlines()) == 2


def test_reasons_and_definitions_are_there(shown) -> None:
    assert "there is no better or worse" in shown
    assert "RR: Reciprocal rank; rel=1" in shown


def test_an_evaluation_has_bars_counts_and_dashes() -> None:
    ev = rm.evaluate({"q": {"a": 1}, "p": {"a": 0}}, {"q": ["b", "a"], "p": ["a"]}, ["RR", "NumRet", "RR(empty=nan)"])
    page = ev._repr_html_()
    assert "width:25.0%" in page
    assert ">3</td>" in page
    assert ">-</td>" in page
    assert "nan<" not in page


def test_pictures_are_in_the_language_asked_for_or_that_of_whoever_looks(monkeypatch) -> None:
    pytest.importorskip("vl_convert", reason="charts need the extra 'report'")
    cmp = rm.compare(TRUTH, {"good": GOOD, "poor": POOR}, ["RR"], permutations=100, resamples=100)
    monkeypatch.setenv("RANKMETER_LANG", "en")
    assert "系统" in cmp.show(lang="zh")._repr_html_()
    assert "系统" not in cmp.show()._repr_html_()
    monkeypatch.setenv("RANKMETER_LANG", "zh")
    assert "系统" in cmp.show()._repr_html_()
    assert "系统" not in cmp.show(lang="en")._repr_html_()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pictures_have_titles_in_words_and_say_nothing_in_another_language(lang) -> None:
    pytest.importorskip("vl_convert", reason="charts need the extra 'report'")
    cmp = rm.compare(TRUTH, {"good": GOOD, "poor_<1>": POOR}, ["RR", "P@1"], permutations=100, resamples=100)
    page = cmp.show(lang=lang)._repr_html_()
    titles = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert len(set(titles)) == len(titles) == page.count("<svg") > 5
    assert all(re.search("[\u4e00-\u9fff]", title) for title in titles) == (lang == "zh")
    names = {
        "en": "Difference of each query: RR, poor_&lt;1&gt; − good",
        "zh": "各查询的差值：RR，poor_&lt;1&gt; − good",
    }
    assert names[lang] in titles
    assert re.findall(r"aria-label='(.*?)'", page) == titles
    assert "aria-roledescription" not in page


def test_a_long_name_stands_once_in_what_a_notebook_is_given() -> None:
    for length in (10, 18, 19, 32, 33, 70):
        name = "".join(chr(97 + place % 26) for place in range(length))
        cmp = rm.compare(TRUTH, {name: GOOD, "poor": POOR}, ["RR"], permutations=100, resamples=100)
        page = cmp._repr_html_()
        row = re.search(rf"<tr class='best' data-name='{name}'>(.*?)</tr>", page, re.DOTALL)
        assert row is not None
        assert re.sub(r"<[^>]*>", " ", row[1]).count(name[:8]) == 1
        # What is cut can be read in full: by pointing at it, or by a tap, which focuses it.
        assert (length <= 18) or f"tabindex='0' title='{name}'" in page


def test_colours_of_a_notebook_are_mixed_with_its_own_ink(shown) -> None:
    assert "currentColor" in shown
    notebook = re.search(r"<style>(.*?)</style>", shown, re.DOTALL)
    assert notebook is not None
    assert "prefers-color-scheme" not in notebook[1]
