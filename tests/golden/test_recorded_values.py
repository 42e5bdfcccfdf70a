"""No number of the bundled example changes without an entry in the changelog."""

import json

import record_values as tool
from tests.other_scipy import T_QUANTILES


def test_every_recorded_number_is_what_it_was():
    before = json.loads(tool.RECORDED.read_text(encoding="utf-8"))
    changed = tool.changes(before, tool.recorded_now(), 1e3 * T_QUANTILES)
    assert not changed, "say so under Values in CHANGELOG.md, then run docs/tools/record_values.py"


def test_a_changed_number_is_noticed_and_the_changelog_is_looked_at():
    assert tool.changes({"AP": 0.5, "RR": 1.0}, {"AP": 0.5000001, "RR": 1.0}) == ["AP"]
    assert tool.changes({"AP": 0.5}, {}) == ["AP"]
    text = "### Values\n\n- AP: 0.5 before, 0.6 now.\n\n### Added\n\n- RR\n"
    assert "AP" in tool.values_section(text)
    assert "RR" not in tool.values_section(text)


def test_an_entry_names_the_measure_and_its_new_number():
    now = {"AP": 0.61234, "AP@10": 0.5, "nDCG@10": 0.7}
    assert tool.unsaid(["AP", "AP@10"], now, "- AP of tied lists: 0.5999 before, 0.6123 now.\n") == []
    assert tool.unsaid(["AP"], now, "- AP of tied lists: 0.5999 before, 0.6001 now.\n- RR: 0.6123.\n") == ["AP"]
    assert tool.unsaid(["nDCG@10"], now, "- DCG: 0.7000 now.\n") == ["nDCG@10"]
    assert tool.unsaid(["Gone"], now, "- `Gone` is no measure any more.\n") == []
