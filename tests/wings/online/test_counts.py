"""Clicks and impressions by variant are an experiment whose unit is the impression, and say so."""

from __future__ import annotations

import random

import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app


def counts_of(draw: random.Random) -> list[dict[str, object]]:
    """Counts of two or three variants, in rows that add up."""
    rows = []
    for variant in "ABC"[: draw.choice([2, 3])]:
        for day in range(draw.choice([1, 3])):
            shown = draw.randint(60, 200)
            rows.append({"variant": variant, "clicks": draw.randint(5, 50), "impressions": shown, "day": day})
    return draw.sample(rows, len(rows))


@pytest.mark.parametrize("seed", range(5))
def test_counts_give_what_a_log_with_one_impression_a_user_gives(seed: int) -> None:
    counts = counts_of(random.Random(seed))
    log = []
    for row in counts:
        for number in range(row["impressions"]):
            event = {
                "time": number,
                "user": f"{row['variant']}{row['day']}-{number}",
                "variant": row["variant"],
                "item": "a",
            }
            log.append(event | {"type": "impression"})
            log += [event | {"type": "click", "time": number + 1}] if number < row["clicks"] else []
    ratios = {"ratios": dict.fromkeys({row["variant"] for row in counts}, 1)}
    told = rm.online.experiment(rm.online.sums_from_table(counts), control="A", **ratios)
    expected = rm.online.experiment(log, "CTR", control="A", **ratios)
    assert told.unit == "impression"
    assert told.notes[0].kind == "impressions_are_units"
    alike = {effect.variant: effect for effect in expected.effects if str(effect.measure) == "CTR"}
    for effect in told.effects:
        other = alike[effect.variant].difference
        assert effect.difference.value == pytest.approx(other.value)
        assert (effect.difference.low, effect.difference.high) == pytest.approx((other.low, other.high))
        assert effect.difference.p == pytest.approx(other.p)


def test_sums_of_users_keep_their_unit() -> None:
    table = [
        {"variant": name, "measure": "CTR", "n": 200, "x": x, "y": 900, "xx": 150, "yy": 4600, "xy": 480}
        for name, x in (("A", 90), ("B", 110))
    ]
    told = rm.online.experiment(rm.online.sums_from_table(table), control="A")
    assert told.unit == "user"
    assert not any(note.kind == "impressions_are_units" for note in told.notes)


@pytest.mark.parametrize(("lang", "said"), [("en", "each impression is one unit"), ("zh", "每次展示为一个样本")])
def test_a_file_of_counts_needs_no_option(tmp_path, lang, said) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("variant,clicks,impressions\nA,120,2400\nB,156,2380\n")
    result = CliRunner().invoke(app, ["online", str(path), "--lang", lang])
    assert result.exit_code == 0
    assert "0.0500" in result.stdout
    assert "0.0655" in result.stdout
    assert said in result.stderr


@pytest.mark.parametrize(
    ("row", "said"),
    [("A,3,2", "3 clicks of 2 impressions"), ("A,0,0", "0 impressions"), ("A,1.5,4", "whole number"),
     ("A,-1,4", "whole number"), ("A,x,4", "whole number"), ("A,,4", "whole number")],
)  # fmt: skip
def test_counts_that_cannot_be_are_refused(tmp_path, row, said) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f"variant,clicks,impressions\n{row}\nB,5,20\n")
    result = CliRunner().invoke(app, ["online", str(path)])
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr
