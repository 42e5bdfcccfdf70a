"""The report in a real browser: drawn, sorted, clicked, offline, and safe from what titles hold."""

from __future__ import annotations

import base64
import itertools
import json
import random
import time

import pytest

import rankmeter as rm

pytest.importorskip("vl_convert", reason="reports need the extra 'report'")
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium drives the browser and is not installed")
ui = pytest.importorskip("selenium.webdriver.support.ui", reason="selenium drives the browser and is not installed")

HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
BY = {"parity": {f"q{i}": "odd" if i % 2 else "even" for i in range(30)}}


def _comparison():
    """Three systems; of query i `good` finds the answer at rank 1 or 2, `poor` at 1, 2 or 3, `bad<b>` at 4."""
    items = [f"d{n}" for n in range(5)]
    truth = {f"q{i}": {"d0": 2, "d1": 0} for i in range(30)}

    def placed(i: int, rank: int) -> list[str]:
        others = [item for item in items if item != "d0"]
        return [*others[: rank - 1], "d0", *others[rank - 1 :]]

    ranks = {"poor": lambda i: 1 + i % 3, "good": lambda i: 1 + i % 2, "bad<b>": lambda _: 4}
    runs = {name: {f"q{i}": placed(i, rank(i)) for i in range(30)} for name, rank in ranks.items()}
    quick = {"permutations": 500, "resamples": 500}
    measures = ["RR", "nDCG@3", "Coverage@1"]
    return rm.compare(truth, runs, measures, baseline="poor", by=BY, catalogue=items, **quick)


@pytest.fixture(scope="module")
def page(tmp_path_factory, chromium):
    folder = tmp_path_factory.mktemp("report")
    report = _comparison().report(
        folder / "report.html",
        titles={"items": {"d0": HOSTILE}, "queries": {"q2": HOSTILE}},
        title=HOSTILE,
    )
    logs = {"browser": "ALL", "performance": "ALL"}
    with chromium(folder, lambda options: options.set_capability("goog:loggingPrefs", logs)) as driver:
        driver.get(report.as_uri())
        _until(lambda: len(driver.find_elements("css selector", ".chart svg")) == 9)
        yield driver


def _until(holds, seconds: float = 20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the page did not get there in time"
        time.sleep(0.05)


def _all(page, css: str):
    return page.find_elements("css selector", css)


def _click(page, element):
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def _names(page):
    return [row.get_attribute("data-name") for row in _all(page, "#leaderboard .board.shown table.sortable tbody tr")]


def test_every_chart_is_drawn(page):
    drawn = {chart.get_attribute("id"): chart for chart in _all(page, ".chart")}
    assert set(drawn) == {
        f"chart-{name}"
        for name in "differences scatter cutoffs distribution recall firsts trade_off correlation similarity".split()
    }
    for name, chart in drawn.items():
        assert len(chart.find_elements("css selector", "path")) > 3, name


def test_leaderboard_is_sorted_by_a_click_on_its_head(page):
    assert _names(page) == ["good", "poor", "bad<b>"]
    head = page.find_element("css selector", "#leaderboard .board.shown th:nth-child(3) button")
    _click(page, head)
    assert _names(page) == ["bad<b>", "poor", "good"]
    _click(page, head)
    assert _names(page) == ["good", "poor", "bad<b>"]
    _click(page, page.find_element("css selector", "#leaderboard .board.shown th:nth-child(2) button"))
    assert _names(page) == ["bad<b>", "good", "poor"]


def test_every_test_unfolds_below_the_leaderboard(page):
    rows = _all(page, ".board.shown details.tests tbody tr")
    assert not rows[0].is_displayed()
    _click(page, page.find_element("css selector", ".board.shown details.tests summary"))
    assert [row.text.split(" ")[0] for row in rows if row.is_displayed()] == ["good", "bad<b>"]
    _click(page, page.find_element("css selector", ".board.shown details.tests summary"))


def test_a_row_opens_its_query_with_the_lists_side_by_side(page):
    row = page.find_element("css selector", "#query-table tr[data-name=q5]")
    _click(page, row)
    assert page.find_element("id", "detail-title").text == "q5"
    columns = _all(page, ".lists > div")
    assert [column.find_element("css selector", "h4").text.split()[0] for column in columns] == [
        "poor",
        "good",
        "bad<b>",
    ]
    # q5: poor has the answer at 3, good at 2, bad at 4; d1 is judged 0 and the other items carry no judgment.
    places = [
        [item.get_attribute("data-item") for item in column.find_elements("css selector", ".item")].index(
            page.find_element("css selector", ".lists .item.g4").get_attribute("data-item")
        )
        for column in columns
    ]
    assert places == [2, 1, 3]
    good = columns[1].find_elements("css selector", ".item")
    assert ["▲1" in item.text for item in good] == [False, True, False, False, False]
    assert sum("unjudged" in item.get_attribute("class") for item in good) == 3


def test_a_bar_opens_its_query(page):
    _click(page, page.find_element("css selector", "#query-table tr[data-name=q5]"))
    before = page.find_element("id", "detail-title").text
    bars = _all(page, "#chart-differences .mark-rect path")
    assert len(bars) == 30
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", bars[-1])
    webdriver.ActionChains(page).move_to_element(bars[-1]).click().perform()
    _until(lambda: page.find_element("id", "detail-title").text != before)
    assert page.find_element("id", "detail-title").text.split(":")[0] in {"q2", "q8", "q14", "q20", "q26"}


def test_another_measure_changes_board_charts_and_table(page):
    select = ui.Select(page.find_element("id", "measure"))
    first = page.find_element("css selector", "#query-table tbody tr").text
    select.select_by_visible_text("nDCG@3")
    _until(lambda: page.find_element("css selector", "#leaderboard .board.shown h3").text == "nDCG@3")
    assert page.find_element("css selector", "#query-table tbody tr").text != first
    select.select_by_visible_text("RR")


def test_a_measure_of_all_lists_has_a_board_and_says_that_it_has_no_queries(page):
    select = ui.Select(page.find_element("id", "measure"))
    select.select_by_visible_text("Coverage@1")
    assert (
        "one value for all lists together" in page.find_element("css selector", "#leaderboard .board.shown .note").text
    )
    assert "nothing to show query by query" in page.find_element("id", "thinned").text
    assert not _all(page, "#chart-differences svg")
    assert not _all(page, "#query-table tbody tr")
    select.select_by_visible_text("RR")
    _until(lambda: len(_all(page, ".chart svg")) == 9)


def test_search_keeps_the_queries_that_match(page):
    search = page.find_element("id", "search")
    search.send_keys("q17")
    assert [row.get_attribute("data-name") for row in _all(page, "#query-table tbody tr")] == ["q17"]
    for _ in "q17":
        search.send_keys("\b")
    assert len(_all(page, "#query-table tbody tr")) == 30


def test_slices_show_their_means(page):
    shown = [
        [cell.text for cell in row.find_elements("css selector", "td")]
        for row in _all(page, "#slices .board.shown tbody tr")
    ]
    # `good` finds the answer of an even query at rank 1 and of an odd one at rank 2.
    assert [(label, count, good) for label, count, _, good, *_ in shown] == [
        ("even", "15", "1.0000"),
        ("odd", "15", "0.5000"),
    ]
    # Even queries have `poor` at ranks 1, 3 and 2 by turns: 1 - (1 + 1/3 + 1/2) / 3 = 0.3889, and p is below 0.05.
    head = [cell.text for cell in _all(page, "#slices .board.shown th")]
    assert head[5:7] == ["good - poor", "p (holm)"]
    assert shown[0][5].startswith("+0.3889 [")
    assert shown[0][5].endswith("↑")
    assert 0.05 < float(shown[1][6]) < 1
    _click(page, page.find_element("css selector", "#slices .board.shown th:nth-child(4) button"))
    assert [row.get_attribute("data-name") for row in _all(page, "#slices .board.shown tbody tr")] == ["odd", "even"]


def test_hostile_titles_are_shown_as_text(page):
    _click(page, page.find_element("css selector", "#query-table tr[data-name=q2]"))
    assert page.find_element("id", "detail-title").text == f"q2: {HOSTILE}"
    assert page.find_element("css selector", "h1").text == HOSTILE
    assert page.find_element("css selector", ".lists .item.g4 .what").get_attribute("textContent") == HOSTILE
    assert page.execute_script("return window.hacked") is None
    assert not _all(page, "img")


def test_charts_follow_the_dark_scheme(page):
    def ink():
        return page.execute_script(
            "return document.querySelector('#chart-scatter .role-axis-label text').getAttribute('fill')"
        )

    light = ink()
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    _until(lambda: ink() != light)
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    )
    _until(lambda: ink() == light)


def test_a_phone_needs_no_sideways_scrolling(page):
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    _until(lambda: page.execute_script("return document.documentElement.scrollWidth") <= 390)
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def _media(page, medium: str, scheme: str = "light"):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})


def test_paper_is_white_and_cuts_nothing_off(page):
    paper = {"width": 688, "height": 1000, "deviceScaleFactor": 1, "mobile": False}  # A4 less its margins
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", paper)
    _media(page, "print", "dark")
    ground = "return getComputedStyle(document.body).backgroundColor"
    _until(lambda: page.execute_script(ground) == "rgb(255, 255, 255)")
    wide = "return [...document.querySelectorAll('table')].filter(one => one.scrollWidth > 688).length"
    assert page.execute_script(wide) == 0
    assert page.execute_script("return document.documentElement.scrollWidth") <= 688
    assert [board.is_displayed() for board in _all(page, "#leaderboard .board")] == [True, True, True]
    assert [row.is_displayed() for row in _all(page, "#query-table tbody tr")] == [True] * 20 + [False] * 10
    assert not page.find_element("css selector", "nav").is_displayed()
    ink = "return getComputedStyle(document.querySelector('.role-axis-label text')).fill"
    assert page.execute_script(ink) == "rgb(59, 71, 83)"
    _media(page, "")
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_every_definition_is_printed_and_folded_again(page):
    folded = "return [...document.querySelectorAll('details')].map(one => one.open)"
    before = page.execute_script(folded)
    assert not all(before)
    page.execute_script(
        "window.addEventListener('beforeprint', () => {"
        " window.atPrint = [...document.querySelectorAll('details')].every(one => one.open) })"
    )
    made = page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(made["data"]).startswith(b"%PDF")
    assert page.execute_script("return window.atPrint") is True
    assert page.execute_script(folded) == before


def test_nothing_was_said_on_the_console_and_nothing_was_fetched(page):
    assert page.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    # The browser's own empty first page is no part of the report.
    asked = {one["request"]["url"] for one in sent if not one["documentURL"].startswith(("chrome:", "about:"))}
    # What stands behind # is the page's own memory of what is chosen.
    itself = page.current_url.partition("#")[0]
    assert {url for url in asked if not url.startswith("data:")} == {itself}


def test_a_link_leads_to_measure_system_and_query(page):
    address = page.current_url.partition("#")[0]
    page.get(f"{address}#measure=nDCG%403&system=bad%3Cb%3E&query=q17")
    page.refresh()
    _until(lambda: page.find_element("id", "detail-title").text == "q17")
    assert page.find_element("css selector", "#leaderboard .board.shown h3").text == "nDCG@3"
    assert ui.Select(page.find_element("id", "system")).first_selected_option.text == "bad<b>"
    page.get(f"{address}#measure=RR&system=good")
    page.refresh()
    _until(lambda: len(_all(page, ".chart svg")) == 9)


def test_bars_of_one_scale_are_as_long_as_their_values(page):
    sizes = page.execute_script(
        "return [...document.querySelectorAll('#query-table td.heat')].map(cell =>"
        " [Number(cell.dataset.sort), parseFloat(getComputedStyle(cell).backgroundSize)])"
    )
    longest = max(size / value for value, size in sizes if value > 0)
    for value, size in sizes:
        assert abs(size - max(value, 0) * longest) < 0.2, (value, size)


def test_names_that_break_lines_or_objects_are_drawn(page, tmp_path):
    """The last test of this page: it opens another one."""
    names = ["__proto__", "line\u2028separator", "two\nlines", "</script><b>", "constructor"]
    truth = {f"q\u2029{i}": {"a": 1, "__proto__": 2} for i in range(6)}
    runs = {
        name: {query: ["a", "__proto__"] if (at + i) % 3 else ["x", "a"] for i, query in enumerate(truth)}
        for at, name in enumerate(names)
    }
    cmp = rm.compare(truth, runs, ["RR", "P@1"], baseline="__proto__", permutations=100, resamples=100)
    page.get_log("browser")
    page.get(cmp.report(tmp_path / "report.html").as_uri())
    _until(lambda: len(_all(page, ".chart svg")) == 9)
    labels = [one.text for one in _all(page, "#chart-similarity .role-axis-label text")]
    assert {"__proto__", "line separator", "two lines", "</script><b>", "constructor"} <= set(labels)
    legend = [one.text for one in _all(page, "#chart-distribution .role-legend-label text")]
    assert legend == ["__proto__", "line separator", "two lines", "</script><b>", "constructor"]
    assert len(_all(page, "#query-table tbody tr")) == 6
    assert page.get_log("browser") == []


def test_a_name_longer_than_the_screen_does_not_widen_the_page(page, tmp_path):
    truth = {f"q{i}": {"a": 1} for i in range(6)}
    runs = {"n" * 200 + end: {query: ["x"] * place + ["a"] for query in truth} for place, end in enumerate("01")}
    cmp = rm.compare(truth, runs, ["RR"], permutations=100, resamples=100)
    page.get(cmp.report(tmp_path / "report.html").as_uri())
    _until(lambda: _all(page, ".chart svg"))
    test_a_phone_needs_no_sideways_scrolling(page)


@pytest.mark.parametrize("length", [3, 26, 60])
@pytest.mark.parametrize("width", [390, 768, 1400])
def test_fifty_systems_fit_and_no_cell_is_hidden_without_a_way_to_scroll(page, tmp_path, width, length):
    draw = random.Random(5)
    truth = {f"q{i}": {f"d{n}": 1 for n in range(20)} for i in range(6)}
    runs = {
        f"{at:02}-{'n' * length}"[:length] if length > 3 else f"{at:02}": {
            query: draw.sample([f"d{n}" for n in range(40)], 15) for query in truth
        }
        for at in range(53)
    }
    measures = ["RR", "P@5", "AP", "nDCG@10", "P@10", "R@20", "Success@1", "Success@5", "RBP", "Judged@10"]
    cmp = rm.compare(truth, runs, measures, baseline=next(iter(runs)), permutations=100, resamples=100, test="t")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    texts = {"queries": {query: f"{query} asks at some length for what nobody has found so far" for query in truth}}
    page.get(cmp.report(tmp_path / "report.html", titles=texts).as_uri())
    _until(lambda: len(_all(page, ".chart svg")) == 9)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    hidden = page.execute_script(
        "return [...document.querySelectorAll('main td, main th')].filter(cell => cell.offsetParent"
        " && cell.getBoundingClientRect().right > window.innerWidth && !cell.closest('.wide')).length"
    )
    assert hidden == 0
    # No word is broken into a column of letters.
    tall = page.execute_script(
        "return [...document.querySelectorAll('main td')].filter(cell => cell.offsetParent"
        " && cell.offsetHeight > 120).map(cell => cell.textContent)"
    )
    assert tall == []
    shown = [row for row in _all(page, "#answer tbody tr") if row.is_displayed()]
    assert 8 <= len(shown) <= 12
    _click(page, page.find_element("css selector", "#answer button.all"))
    assert len([row for row in _all(page, "#answer tbody tr") if row.is_displayed()]) == 53
    if width == 1400:
        page.refresh()
        _until(lambda: len(_all(page, ".chart svg")) == 9)
        assert page.execute_script("return document.documentElement.scrollHeight") < 6500
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [390, 768, 1400])
@pytest.mark.parametrize("systems", [2, 8, 20])
def test_tables_of_queries_show_whole_ids_baseline_and_chosen_system_first(page, tmp_path, width, systems):
    draw = random.Random(7)
    items = [f"d{n}" for n in range(30)]
    truth = {f"q{i}": dict.fromkeys(draw.sample(items, 12), 1) for i in range(10, 40)}
    # The baseline stands in the middle, and the best is the last.
    runs = {f"system-{at}": {query: draw.sample(items, 15) for query in truth} for at in range(systems - 1)}
    runs["system-z"] = {query: list(truth[query]) for query in truth}
    baseline = f"system-{systems // 2 - 1}"
    cmp = rm.compare(truth, runs, ["nDCG@10", "AP"], baseline=baseline, permutations=100, resamples=100, test="t")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.get(cmp.report(tmp_path / "report.html").as_uri())
    _until(lambda: len(_all(page, ".chart svg")) == 9)
    heights = page.execute_script(
        "return [...document.querySelectorAll('#query-table tbody td')].map(cell => cell.offsetHeight)"
    )
    assert max(heights) < 45  # one line each
    for css in ("#query-table th.name", "#detail-body .wide:not(.tall) th.name", ".lists h4"):
        names = [head.get_attribute("title") for head in _all(page, css)]
        assert names[:2] == [baseline, "system-z"], css
        assert len(names) == len(set(names)) == min(systems, len(names))
    moved = page.execute_script(
        "const cell = document.querySelector('#query-table tbody td'), wide = cell.closest('.wide');"
        "const before = cell.getBoundingClientRect().left; wide.scrollLeft = 9999;"
        "return cell.getBoundingClientRect().left - before"
    )
    assert abs(moved) < 1
    for row in _all(page, "#query-table tbody tr")[:5]:
        *values, spread = (float(cell.get_attribute("data-sort")) for cell in _all(row, "td.number"))
        assert spread == pytest.approx(max(values) - min(values))
    # Labels below an axis stand at equal distances: none was left out because there was no room.
    for chart in ("scatter", "distribution", "trade_off"):
        below = _all(page, f"#chart-{chart} g[aria-label^='X-axis'] .role-axis-label text")
        labels = sorted(float(one.text) for one in below if one.text and one.get_attribute("opacity") != "0")
        steps = [after - before for before, after in itertools.pairwise(labels)]
        assert max(steps) == pytest.approx(min(steps)), (chart, labels)
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_one_query_shows_every_relevant_item(page, tmp_path):
    """Fifteen of 25 relevant items are in nobody's list."""
    truth = {f"q{i}": {f"d{n}": 1 + n % 2 for n in range(25)} for i in range(4)}
    runs = {
        name: {query: [f"d{n + at}" for n in range(8)] for query in truth} for at, name in enumerate(("one", "two"))
    }
    cmp = rm.compare(truth, runs, ["RR", "P@5"], permutations=100, resamples=100)
    page.get(cmp.report(tmp_path / "report.html").as_uri())
    _until(lambda: _all(page, "#missed"))
    listed = {item.get_attribute("title") for item in _all(page, ".lists .item")}
    missed = {row.get_attribute("title") for row in _all(page, "#missed tbody tr")}
    assert listed | missed == {f"d{n}" for n in range(25)}
    assert not listed & missed


RECOMMENDED = {"u1": ["m1", "m2", "m3"], "u2": ["m2", "m1", "m3"]}


@pytest.fixture(scope="module")
def recommended(page, tmp_path_factory):
    """The page of two recommenders: titles and snippets, a user's history, an item that stands deep in the baseline."""
    deep = {user: [*(f"x{n}" for n in range(11)), *items] for user, items in RECOMMENDED.items()}
    titles = {f"m{n}": {"title": f"Film {n}", "plot": f"A night of <i>film</i> {n}"} for n in (1, 2, 3)}
    history = {user: ["h1", "h2"] for user in RECOMMENDED}
    cmp = rm.compare({user: {"m1": 5, "m9": 4} for user in RECOMMENDED}, {"deep": deep, "top": RECOMMENDED}, ["HR@5"],
                     baseline="deep", history=history, permutations=100, resamples=100)  # fmt: skip
    place = tmp_path_factory.mktemp("users") / "report.html"
    cmp.report(place, titles={"items": titles, "queries": {"u1": "night film"}})
    page.get(f"{place.as_uri()}#measure=HR%405&system=top&query=u1")
    _until(lambda: _all(page, ".lists ol"))
    return page


def test_recommenders_are_shown_as_recommenders(recommended):
    text = recommended.find_element("css selector", "body").text
    assert "User by user" in text
    assert "not taken" in text
    assert not _all(recommended, ".item.unjudged")
    assert [one.text for one in _all(recommended, ".taken .item")] == ["h2", "h1"]


def test_an_item_that_stood_deeper_is_not_new_and_columns_and_terms_are_shown(recommended):
    column = _all(recommended, ".lists > div")[1]
    assert column.find_element("css selector", ".move").text == "▲11"
    assert column.find_element("css selector", ".snippet").text == "A night of <i>film</i> 1"
    assert {mark.text.lower() for mark in column.find_elements("css selector", "mark")} == {"film", "night"}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 1400])
def test_sums_scores_and_whole_titles_are_there_for_who_looks(page, tmp_path, lang, width):
    truth = {f"q{i}": {"d0": 2, "d1": 1, "d2": 0} for i in range(6)}
    long = "a-system-with-a-name-that-no-column-of-a-table-can-hold-whole"
    runs = {
        name: {q: {f"d{n}": float(-(n * turn % 5)) for n in range(5)} for q in truth}
        for name, turn in ((long, 1), ("b", 3))
    }
    cmp = rm.compare(truth, runs, ["nDCG@3", "AP"], permutations=100, resamples=100)
    titles = {
        "items": {
            "d0": "A title of many words that has to be cut in every list of the page, on phones and wide screens"
        }
    }
    cmp.report(tmp_path / "r.html", lang=lang, titles=titles)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.get((tmp_path / "r.html").as_uri())
    _until(lambda: len(_all(page, "#chart-scores-chosen path")) > 3)
    assert len(_all(page, "#chart-scores-reference path")) > 3
    for measure, quotient in (("0", "nDCG@3 = 2.6309 / 2.6309 = 1"), ("1", "AP = 2 / 2 = 1")):
        ui.Select(page.find_element("id", "measure")).select_by_value(measure)
        assert _all(page, ".sums .sum")[0].text == quotient
        added = [
            row.find_elements("css selector", "td")[-1].text
            for row in _all(page, ".sums table")[0].find_elements("css selector", "tbody tr")
        ]
        assert sum(map(float, added)) == pytest.approx(float(quotient.split()[2]), abs=1e-3)
    for css in (".lists .what", ".sums td.what"):
        cut = _all(page, css)[0]
        is_cut = "return arguments[0].scrollWidth > arguments[0].clientWidth"
        assert page.execute_script(is_cut, cut)
        page.execute_script("arguments[0].closest('[tabindex]').focus()", cut)
        assert not page.execute_script(is_cut, cut)
        assert cut.text.strip() == titles["items"]["d0"].strip()
    name = _all(page, ".lists h4 .cut-name")[0]
    assert name.get_attribute("title") == long
    page.execute_script("arguments[0].focus()", name)
    assert long in page.execute_script("return getComputedStyle(arguments[0], '::after').content", name)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
