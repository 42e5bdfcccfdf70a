"""Folders and patterns: which files they stand for, in which order, and what is said about them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import rankmeter as rm
from rankmeter.inputs.shards import files_of_path

RUN = "query,item,score\nq,a,1\n"
TRUTH = {"q": {"a": 1}}


def _notes(truth: object, run: object) -> str:
    return " | ".join(rm.evaluate(truth, run, "RR").reading.notes)


@pytest.mark.parametrize("mark", ["_", "."])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "json", "arrow", "run", "qrels", "CSV", "run.gz"])
def test_hidden_files_that_may_be_data_are_named(mark: str, ending: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RUN)
    hidden = tmp_path / f"{mark}b.{ending}"
    hidden.write_text("anything")
    assert f"left out because of a name that begins with _ or .: {hidden}" in _notes(TRUTH, tmp_path)


@pytest.mark.parametrize("folder", ["_b", ".b", "c/_b", "_b/c"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "run.gz"])
def test_data_in_hidden_folders_is_named(folder: str, ending: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RUN)
    hidden = tmp_path / folder / f"part.{ending}"
    hidden.parent.mkdir(parents=True)
    hidden.write_text("anything")
    assert f"left out because of a name that begins with _ or .: {hidden}" in _notes(TRUTH, tmp_path)


@pytest.mark.parametrize("pattern", ["*/*.csv", "**/*.csv", "*/part.csv", "[_a]*/*.csv"])
def test_data_in_hidden_folders_of_a_pattern_is_named(pattern: str, tmp_path: Path) -> None:
    for folder in ("a", "_b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part.csv").write_text(RUN)
    assert _notes(TRUTH, str(tmp_path / pattern)).endswith(f"_ or .: {tmp_path / '_b' / 'part.csv'}")


@pytest.mark.parametrize("pattern", ["_b/*.csv", "_b/_*.csv", "_?/_p*.csv"])
def test_hidden_data_that_is_named_is_read(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "_b").mkdir()
    for name in ("_part.csv", "part.csv") if pattern == "_b/*.csv" else ("_part.csv",):
        (tmp_path / "_b" / name).write_text(RUN)
    assert rm.evaluate(TRUTH, str(tmp_path / pattern), "RR").reading.run.rows == len(RUN.splitlines()) - 1


@pytest.mark.parametrize("pattern", ["*", "*.csv", "**/*.csv"])
def test_hidden_files_of_a_pattern_are_named(pattern: str, tmp_path: Path) -> None:
    for name in ("a.csv", "_b.csv"):
        (tmp_path / name).write_text(RUN)
    assert _notes(TRUTH, str(tmp_path / pattern)).endswith(f"_ or .: {tmp_path / '_b.csv'}")


@pytest.mark.parametrize("content", ["q 0 a 1\n", "query,item,grade\nq,a,1\n"])
@pytest.mark.parametrize("parts", [1, 2])
def test_hidden_files_of_judgments_are_named(content: str, parts: int, tmp_path: Path) -> None:
    for part in range(parts):
        (tmp_path / f"{part}.txt").write_text(
            content.replace("q", f"q{part}" if part else "q").replace("q1uery", "query")
        )
    (tmp_path / "_b.qrels").write_text(content)
    assert f"_ or .: {tmp_path / '_b.qrels'}" in _notes(tmp_path, {"q": ["a"]})


@pytest.mark.parametrize(
    "name",
    [
        "_SUCCESS",
        "_metadata",
        "_committed_7",
        ".a.csv.crc",
        ".DS_Store",
        "._a.csv",
        "_csv",
        ".csv",
        "_delta_log/0.json",
    ],
)
def test_what_tools_leave_beside_data_is_passed_over_in_silence(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RUN)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("anything")
    assert _notes(TRUTH, tmp_path) == ""


@pytest.mark.parametrize("named", ["", "*", "part-*", "part-[0-9]*.csv"])
@pytest.mark.parametrize("width", [1, 5])
def test_parts_are_read_in_the_order_of_their_numbers(named: str, width: int, tmp_path: Path) -> None:
    names = [f"part-{number:0{width}}.csv" for number in range(12)]
    for number, name in enumerate(names):
        (tmp_path / name).write_text(f"query,item\nq,{number}\n")
    place = str(tmp_path / named)
    assert [Path(path).name for path in files_of_path(place).paths] == names
    assert [Path(path).name for path in rm.files(place).paths] == names
    assert rm.evaluate({"q": {"9": 1}}, place, "RR")["RR"] == pytest.approx(1 / 10)


@pytest.mark.parametrize(("header", "value"), [("", ""), (",score", ",{}"), (",rank", ",{}")])
@pytest.mark.parametrize("shared", [True, False])
def test_a_query_in_row_order_over_several_files_is_said(header: str, value: str, shared: bool, tmp_path: Path) -> None:
    for number in (1, 2):
        query = "q" if shared else f"q{number}"
        (tmp_path / f"{number}.csv").write_text(f"query,item{header}\n{query},{number}{value.format(number)}\n")
    said = _notes({"q": {"1": 1}, "q1": {"1": 1}}, tmp_path)
    assert ("query q is in" in said and "1.csv come first" in said) == (shared and not header)


@pytest.mark.parametrize(("packed", "lines"), [(False, 1), (False, 50_000), (True, 1)])
@pytest.mark.parametrize("tags", [("x", "x"), ("x", "y"), ("x y", "x y"), ("x y", "x z")])
def test_tags_of_two_runs_in_one_file_are_said(packed: bool, tags: tuple[str, str], lines: int, tmp_path: Path) -> None:
    rows = [f"q{row} Q0 {tag[-1]} 1 1 {tag}\n" for tag in tags[: 1 + (tags[0] != tags[1])] for row in range(lines)]
    path = tmp_path / "both.run"
    content = "".join(rows).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    truth = {"q0": {tags[0][-1]: 1}}
    assert ("two runs in one file" in _notes(truth, path)) == (tags[0] != tags[1])


@pytest.mark.parametrize("place", [0, 1, 700, 25_000, 49_999])
@pytest.mark.parametrize("gap", [" ", "\t", "  "])
@pytest.mark.parametrize("ending", ["\n", " \n", "\r\n"])
def test_another_tag_is_noticed_wherever_it_stands(place: int, gap: str, ending: str, tmp_path: Path) -> None:
    lines = [gap.join((f"q{row // 100}", "Q0", f"d{row}", "1", "1", "mine")) + ending for row in range(50_000)]
    path = tmp_path / "both.run"
    path.write_bytes("".join(lines).encode())
    assert "two runs" not in _notes({"q0": {"d1": 1}}, path)
    lines[place] = lines[place].replace("mine", "yours").rstrip() + (ending if place < len(lines) - 1 else "")
    path.write_bytes("".join(lines).encode())
    assert "yours: two runs in one file" in _notes({"q0": {"d1": 1}}, path) or place == 0
    assert "two runs in one file" in _notes({"q0": {"d1": 1}}, path)


@pytest.mark.parametrize("place", [0, 1, 700, 25_000, 49_999])
@pytest.mark.parametrize("tag", ["mine", "my own"])
@pytest.mark.parametrize("scattered", [False, True])
def test_an_id_with_a_blank_moves_no_field_in_silence(place: int, tag: str, scattered: bool, tmp_path: Path) -> None:
    queries = [row % 100 if scattered else row // 500 for row in range(50_000)]
    lines = [f"q{query} Q0 d{row} 1 {row % 7} {tag}\n" for row, query in enumerate(queries)]
    lines[place] = lines[place].replace(f"d{place} ", f"d {place}x ")
    path = tmp_path / "spoken.run"
    path.write_text("".join(lines))
    with pytest.raises(rm.InputError, match="does an id contain a blank") as refused:
        rm.evaluate({"q0": {"d1": 1}}, path, "RR")
    assert f"{path}:{place + 1}: " in str(refused.value)
    assert f"'{lines[place].strip()}'" in str(refused.value)


@pytest.mark.parametrize("last", ["# q Q0 b 2 1 other\n", f"q Q0 {'b' * 9000} 2 0.5 x", "q Q0 b 2 0.5\n", "\n\n"])
def test_a_last_line_without_another_tag_says_nothing(last: str, tmp_path: Path) -> None:
    path = tmp_path / "plain.run"
    path.write_text("q Q0 a 1 1 x\n" + last)
    assert "two runs" not in _notes(TRUTH, path)
