"""Options are made of fields whose types are known; any other type is refused when the command is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import pytest
from click.testing import CliRunner

from rankmeter.cli.parameters import command, option, takes


@dataclass(frozen=True, slots=True)
class Known:
    name: str | None = option()
    count: int | None = option()
    share: float = option(default=0.5)
    order: Literal["up", "down"] | None = option()
    parts: tuple[str, ...] = option(default=())
    quiet: bool = option(default=False)
    place: Path | None = option(type=click.Path(path_type=Path))


def test_each_known_type_arrives_as_itself() -> None:
    @command(add_help_option=False)
    @takes(given=Known)
    def show(given: Known) -> None:
        click.echo(repr(given))

    typed = "--name a --count 3 --share 0.25 --order up --parts x --parts y --quiet --place f".split()
    wanted = Known("a", 3, 0.25, "up", ("x", "y"), True, Path("f"))
    assert CliRunner().invoke(show, typed).output.strip() == repr(wanted)
    for wrong in (["--count", "3.5"], ["--share", "x"], ["--order", "left"]):
        assert CliRunner().invoke(show, wrong).exit_code == 2


@pytest.mark.parametrize("kind", ["Path | None", "list[str]", "int | str", "Count", "<class 'bool'>", "set[int]"])
def test_a_type_that_nothing_reads_is_refused(kind: str) -> None:
    group = dataclass(type("Group", (), {"__annotations__": {"depth": kind}, "depth": option()}))
    with pytest.raises(TypeError, match=r"no option can be made of the field depth: .*State type="):
        takes(group=group)(lambda group: group)
