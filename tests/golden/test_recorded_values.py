"""No number of the bundled example changes without an entry in the changelog."""

import json

import record_values as tool


def test_every_recorded_number_is_what_it_was():
    before = json.loads(tool.RECORDED.read_text(encoding="utf-8"))
    changed = tool.changes(before, tool.recorded_now())
    assert not changed, "say so under Values in CHANGELOG.md, then run docs/tools/record_values.py"


def test_a_changed_number_is_noticed_and_the_changelog_is_looked_at():
    assert tool.changes({"AP": 0.5, "RR": 1.0}, {"AP": 0.5000001, "RR": 1.0}) == ["AP"]
    assert tool.changes({"AP": 0.5}, {}) == ["AP"]
    text = "### Values\n\n- AP: 0.5 before, 0.6 now.\n\n### Added\n\n- RR\n"
    assert "AP" in tool.values_section(text)
    assert "RR" not in tool.values_section(text)
