"""Chinese names of a log's columns and of its events."""

from __future__ import annotations

import pytest

import rankmeter as rm
from rankmeter.wings.online.event_columns import EVENT_NAMES
from rankmeter.wording import chinese


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in chinese.TYPES.items() for word in words])
def test_every_event_is_its_kind(kind, word):
    assert rm.online.read_events([{"时间": 0, "用户ID": "u", "事件": word}]).kinds[word] == kind


@pytest.mark.parametrize("role", chinese.EVENT_COLUMNS)
def test_every_column_of_a_log_is_its_role(role):
    usual = {"time": "time", "user": "user", "type": "type"}
    for name in chinese.EVENT_COLUMNS[role]:
        columns = {**{known: column for known, column in usual.items() if known != role}, role: name}
        row = dict.fromkeys(columns.values(), 1) | {columns["type"]: "click"}
        assert rm.online.read_events([row]).columns[role] == name


def test_usual_names_of_logs_hold_the_list():
    for role, names in chinese.EVENT_COLUMNS.items():
        assert set(names) <= set(EVENT_NAMES[role])
