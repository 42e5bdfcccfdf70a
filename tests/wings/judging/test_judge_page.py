"""The judging page in a real browser: keys, undo, what is kept, exported and read back, a phone, hostile text."""

from __future__ import annotations

import time
from itertools import count

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.inputs.accepting import into_judgments

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
POOL = pl.DataFrame(
    {"query": ["q1"] * 3 + ["q2"] * 2, "item": ["a", "b", HOSTILE, '=a,"1"', "b"], "best_rank": [7, 8, 9, 1, 2]}
)
ITEMS = pl.DataFrame({"item": ["a", "b"], "title": ["Red dress", HOSTILE], "text": ["line one\nline two", None]})
QUERIES = {"q1": HOSTILE, "q2": "红色连衣裙"}
PAGES = count()


@pytest.fixture(scope="module")
def browser(tmp_path_factory, chromium):
    folder = tmp_path_factory.mktemp("judging")
    prefs = {"download.default_directory": str(folder / "downloads")}
    with chromium(folder, lambda options: options.add_experimental_option("prefs", prefs)) as driver:
        driver.folder = folder
        yield driver


def opened(browser, name, **options):
    """A page of which nothing was kept: with another label it is another page.

    ``localStorage.clear()`` and a reload would race: what one document writes may reach the next one late.
    """
    path = browser.folder / f"{name}.html"
    usual = {"items": ITEMS, "queries": QUERIES, "labels": {0: f"label {next(PAGES)}"}}
    rm.judge_page(options.pop("pool", POOL), **{**usual, **options}).save(path)
    browser.get(path.as_uri())
    return browser


def press(browser, *keys):
    script = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
    for key in keys:
        browser.execute_script(script, key)


def marks(browser):
    script = """
        const page = JSON.parse(document.getElementById("data").textContent);
        const kept = localStorage.getItem("rankmeter judge " + page.digest);
        return kept ? JSON.parse(kept).marks : {};
    """
    return {int(place): mark for place, mark in browser.execute_script(script).items()}


def soon(look, wanted):
    """What is looked for, at the latest after some seconds: then what there is instead."""
    end = time.monotonic() + 10
    while (found := look()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    return found


def text(browser, selector):
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def exported(browser):
    folder = browser.folder / "downloads"
    before = set(folder.glob("*.csv")) if folder.exists() else set()
    browser.execute_script("document.getElementById('export').click()")
    for _ in range(100):
        new = set(folder.glob("*.csv")) - before if folder.exists() else set()
        if any(path.stat().st_size for path in new):  # a file is there before what is in it
            return new.pop()
        time.sleep(0.1)
    raise AssertionError("nothing was exported")


def says(browser, sentence):
    """Whether the page says so, soon."""
    for _ in range(100):
        if sentence in text(browser, "#said"):
            return True
        time.sleep(0.1)
    return False


def test_nothing_in_a_text_is_markup(browser):
    opened(browser, "hostile", guidelines=HOSTILE, judge=HOSTILE)
    press(browser, "n", "n", "n")
    assert browser.execute_script("return window.hacked") is None
    assert HOSTILE in browser.execute_script("return document.querySelector('details').textContent")


def test_neither_ranks_nor_systems_are_on_the_page(browser):
    page = rm.judge_page(POOL, items=ITEMS)
    assert "best_rank" not in page.text


def test_keys_give_grades_and_go_on_and_undo_takes_back(browser):
    opened(browser, "keys")
    press(browser, "3", "s", "0")
    assert {place: (mark.get("grade"), mark.get("skipped")) for place, mark in marks(browser).items()} == {
        0: (3, None), 1: (None, True), 2: (0, None)
    }  # fmt: skip
    assert "红色连衣裙" in text(browser, "#query")
    press(browser, "u")
    assert set(marks(browser)) == {0, 1}
    press(browser, "9", "x")  # neither is a grade of this page
    assert set(marks(browser)) == {0, 1}


def test_what_was_judged_is_kept_and_goes_on_after_a_reload(browser):
    opened(browser, "kept")
    press(browser, "2", "1")
    browser.refresh()
    assert soon(lambda: [mark["grade"] for mark in marks(browser).values()], [2, 1]) == [2, 1]
    assert soon(lambda: "2 of 5 judged" in text(browser, "#count"), wanted=True)
    press(browser, "0")
    assert [mark["grade"] for mark in marks(browser).values()] == [2, 1, 0]


def test_a_browser_that_can_keep_no_more_shows_what_it_has_kept(browser):
    opened(browser, "full", judge="Ann")
    press(browser, "2", "1")
    full = "Storage.prototype.setItem = () => { throw new Error('QuotaExceededError'); };"
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": full})
    try:
        browser.refresh()
        assert "2 of 5 judged" in text(browser, "#count")
        assert "keeps nothing" in text(browser, "#kept")
        assert browser.execute_script("return document.getElementById('judge').value") == "Ann"
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_two_tabs_of_a_page_have_the_same_grades(browser):
    opened(browser, "tabs")
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    try:
        browser.get((browser.folder / "tabs.html").as_uri())
        browser.switch_to.window(first)
        press(browser, "2")
        browser.switch_to.window(second)
        assert soon(lambda: "1 of 5 judged" in text(browser, "#count"), wanted=True)
        assert "1 of 3" in text(browser, "#count")  # whoever judges here stays where they are
        press(browser, "n", "1")
        browser.switch_to.window(first)
        assert soon(lambda: "2 of 5 judged" in text(browser, "#count"), wanted=True)
    finally:
        browser.switch_to.window(second)
        browser.close()
        browser.switch_to.window(first)


def test_who_leaves_with_grades_that_were_not_exported_is_asked(browser):
    """A real prompt needs a real hand on the keys; the page answers the event that comes before it."""

    def may_leave():
        return browser.execute_script("return window.dispatchEvent(new Event('beforeunload', {cancelable: true}))")

    opened(browser, "leaving")
    assert may_leave()
    press(browser, "2")
    assert not may_leave()
    exported(browser)
    assert may_leave()
    press(browser, "u")
    assert not may_leave()


def test_the_whole_query_at_a_time(browser):
    opened(browser, "query")
    browser.execute_script("document.getElementById('view').click()")
    assert browser.execute_script("return document.querySelectorAll('.card').length") == 3
    press(browser, "1", "1", "1")
    assert browser.execute_script("return document.querySelectorAll('.card').length") == 2


def test_an_export_is_judgments_and_can_be_imported(browser):
    opened(browser, "export", judge="Ann Ø")
    press(browser, "3", "s", "0", "2", "1")
    assert not browser.execute_script("return document.getElementById('done').hidden")
    path = exported(browser)
    table = into_judgments(path).judgment_table()
    assert sorted(table.grade.to_list()) == [0, 1, 2, 3]
    assert '=a,"1"' in table.item.to_list()
    frame = pl.read_csv(path)
    assert frame["judge"].unique().to_list() == ["Ann Ø"]
    assert frame["skipped"].to_list().count("yes") == 1
    opened(browser, "export", judge="Ann Ø")
    assert marks(browser) == {}
    browser.find_element("id", "import").send_keys(str(path))
    assert says(browser, "5 judgments")
    assert exported(browser).read_text() == path.read_text()


def test_the_chances_of_a_draw_are_exported_with_the_grades(browser):
    from rankmeter.inputs.accepting import into_judgments
    from rankmeter.wings.judging.observed import design_of

    pool = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["a", "b", "c"], "item_chance": [0.5, 0.25, 1.0]})
    opened(browser, "drawn", pool=pool)
    press(browser, "1", "2", "3")
    path = exported(browser)
    design = design_of(path, into_judgments(path))
    assert dict(zip(design.chances["item"], design.chances["chance"], strict=True)) == {"a": 0.5, "b": 0.25, "c": 1.0}


def test_a_file_that_is_something_else_is_said(browser, tmp_path):
    opened(browser, "strange")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    browser.find_element("id", "import").send_keys(str(tmp_path / "a.csv"))
    assert says(browser, "no columns query, item and grade")


@pytest.mark.parametrize("width", [390, 1400])
def test_it_fits_a_phone(browser, width):
    opened(browser, "phone", lang="zh")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        heights = browser.execute_script(
            "return [...document.querySelectorAll('.grades button')].map(b => b.getBoundingClientRect().height)"
        )
        assert min(heights) >= 44
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_thousands_of_pairs_stay_quick(browser):
    pool = pl.DataFrame({"query": [f"q{n // 50}" for n in range(5000)], "item": [f"d{n}" for n in range(5000)]})
    opened(browser, "many", pool=pool, items=None, queries=None)
    script = """
        const begin = performance.now();
        for (let n = 0; n < 50; n += 1)
            document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}));
        return performance.now() - begin;
    """
    browser.execute_script(script)
    assert len(marks(browser)) == 50
    assert browser.execute_script("return document.querySelectorAll('*').length") < 400


def test_the_order_is_random_but_the_same_for_two_judges():
    pool = pl.DataFrame({"query": ["q"] * 50, "item": [f"{n:02}" for n in range(50)]})
    same, again, other = (rm.judge_page(pool, seed=seed).text for seed in (1, 1, 2))
    assert same == again
    assert same != other
    assert '["q", "00"], ["q", "01"], ["q", "02"]' not in same


@pytest.mark.parametrize("grades", [(0,), (0, 10), (0, 0.5), (-1, 0), (0, 0), tuple(range(11))])
def test_every_grade_needs_a_key(grades):
    with pytest.raises(rm.InputError, match="cannot each have a key"):
        rm.judge_page(POOL, grades=grades)


def test_a_phone_shows_the_next_item_and_skips_are_counted_apart(browser):
    opened(browser, "phone_next", guidelines="Judge what the user wants.", grades=(0, 1, 2))
    keys = browser.execute_script("return [...document.querySelectorAll('.keys kbd')].map((key) => key.textContent)")
    assert keys[:4] == ["0", "1", "2", "s"]  # on a phone they are not shown
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 400, "deviceScaleFactor": 1, "mobile": True}
    )
    try:
        browser.execute_script("window.scrollTo(0, document.body.scrollHeight)")
        press(browser, "2", "s")
        assert "1 of 5 judged, 1 skipped" in text(browser, "#count")
        assert browser.execute_script("return document.querySelector('details').open") is False
        assert browser.execute_script("return document.getElementById('query').getBoundingClientRect().top >= 0")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_what_was_judged_before_is_not_asked_again(browser):
    """As after `draw --judged`: the grades of before are exported with the new ones."""
    pool = POOL.with_columns(grade=pl.Series([2.0, None, None, 0.0, 1.0]), query_chance=pl.lit(0.5))
    page = opened(browser, "more", pool=pool)
    assert "3 of 5 judged" in text(page, "#count")
    assert "q1" in text(page, "#query-id")
    press(page, "3", "1")
    rows = pl.read_csv(exported(page))
    assert rows["grade"].null_count() == 0
    before = {("q1", "a"): 2, ("q2", "b"): 1}
    given = {(query, item): grade for query, item, grade in rows.select("query", "item", "grade").iter_rows()}
    assert before.items() <= given.items()
    assert len(given) == 5


def test_ids_that_every_object_of_the_language_has(browser):
    """A table of ids is no object: there, ``constructor`` would be a function before anybody named it."""
    ids = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf", "length", "0"]
    pool = pl.DataFrame({"query": ids, "item": ids})
    items, queries = pl.DataFrame({"item": ["length"], "title": ["as long"]}), {"valueOf": "what it is worth"}
    opened(browser, "objects", pool=pool, items=items, queries=queries)
    seen = []
    for _ in ids:
        seen.append((browser.find_element("id", "query").text, browser.find_element("id", "query-id").text))
        press(browser, "1")
    assert soon(lambda: len(marks(browser)), len(ids)) == len(ids)
    expected = [("what it is worth", "valueOf") if one == "valueOf" else (one, "") for one in ids]
    assert seen == expected
