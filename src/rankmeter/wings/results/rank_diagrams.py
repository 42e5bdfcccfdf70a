"""Systems on a scale of mean ranks, with bars over those that no test tells apart: for a terminal, a page, LaTeX.

A bar joins systems that follow each other only if *every* pair of them is inseparable; where two systems are alike but
one between them is not, there is no bar, and it is said how many such pairs there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankmeter.placing.placements import Bools, Floats
from rankmeter.showing.charts import BETTER, EQUAL, Spec, drawing, field, layer
from rankmeter.showing.latex import latex_text
from rankmeter.wings.results.task_statistics import cliques
from rankmeter.wording.characters import one_line

WIDTH = 44
"""Characters of the scale in a terminal."""
LONGEST = 28
MOST_ROWS = 40


def ranked(mean_rank: Floats) -> list[int]:
    """The systems, best first."""
    return sorted(range(len(mean_rank)), key=lambda at: (mean_rank[at], at))


def lone_pairs(alike: Bools, order: Sequence[int]) -> int:
    """How many inseparable pairs stand under no bar."""
    joined = {(a, b) for group in cliques(alike, order) for a in group for b in group}
    size = len(order)
    return sum(bool(alike[a, b]) and (a, b) not in joined for a in range(size) for b in range(a + 1, size))


def text_diagram(names: Sequence[str], mean_rank: Floats, alike: Bools) -> str:
    """A line a system with a mark at its mean rank, then a line a bar."""
    order = ranked(mean_rank)[:MOST_ROWS]
    low, high = 1.0, max(float(len(names)), 2.0)

    def at(rank: float) -> int:
        return round((rank - low) / (high - low) * (WIDTH - 1))

    step = max(1, round((high - 1) / 8))
    scale = [" "] * (WIDTH + 4)
    for rank in range(1, int(high) + 1, step):
        for place, letter in enumerate(str(rank)):
            scale[at(rank) + place] = letter
    lines = ["".join(scale).rstrip()]
    for system in order:
        name = one_line(names[system])
        name = name if len(name) <= LONGEST else name[: LONGEST - 3] + "..."
        lines.append(
            " " * at(mean_rank[system])
            + "o"
            + " " * (WIDTH - at(mean_rank[system]))
            + f"{mean_rank[system]:.2f} {name}"
        )
    for group in cliques(alike, order):
        ends = at(mean_rank[group[0]]), at(mean_rank[group[-1]])
        lines.append(" " * ends[0] + "=" * (ends[1] - ends[0] + 1))
    return "\n".join(lines)


def chart(names: Sequence[str], mean_rank: Floats, alike: Bools, words: Mapping[str, str]) -> Spec:
    """The same as a picture: a row a system, and the bars below."""
    order = ranked(mean_rank)[:MOST_ROWS]
    rows: list[dict[str, Any]] = [
        {
            "row": number,
            "rank": float(mean_rank[at]),
            "label": f"{one_line(names[at])}  {mean_rank[at]:.2f}",
            "kind": "system",
        }
        for number, at in enumerate(order)
    ]
    rows += [
        {
            "row": len(order) + number,
            "rank": float(mean_rank[group[0]]),
            "end": float(mean_rank[group[-1]]),
            "kind": "bar",
        }
        for number, group in enumerate(cliques(alike, order))
    ]
    ends = [1.0, max([row["rank"] for row in rows if row["kind"] == "system"] or [2.0]) * 1.02]
    x = field(
        "rank:Q", title=words["mean_rank"], scale={"domain": ends, "nice": False, "padding": 4}, axis={"orient": "top"}
    )
    y = field("row:O", axis=None, scale={"paddingInner": 0.2})
    bars = layer({"type": "rule", "strokeWidth": 5, "color": EQUAL}, x=x, x2={"field": "end"}, y=y)
    points = layer({"type": "circle", "size": 80, "opacity": 1, "color": BETTER}, x=x, y=y)
    right = layer({"type": "text", "align": "left", "dx": 8, "limit": 190}, x=x, y=y, text=field("label:N"))
    left = layer({"type": "text", "align": "right", "dx": -8, "limit": 190}, x=x, y=y, text=field("label:N"))
    middle = sum(ends) / 2
    return drawing(
        rows,
        max(80, 20 * len(rows)),
        bars | {"transform": [{"filter": "datum.kind == 'bar'"}]},
        points | {"transform": [{"filter": "datum.kind == 'system'"}]},
        right | {"transform": [{"filter": f"datum.kind == 'system' && datum.rank <= {middle}"}]},
        left | {"transform": [{"filter": f"datum.kind == 'system' && datum.rank > {middle}"}]},
    )


def tikz(names: Sequence[str], mean_rank: Floats, alike: Bools) -> str:
    """The same for LaTeX with TikZ, the names left and right of the scale as in Demsar (2006)."""
    order = ranked(mean_rank)
    size = len(order)
    scale = 10 / max(size - 1, 1)
    half = (size + 1) // 2
    groups = cliques(alike, order)

    def x(rank: float) -> str:
        return f"{(rank - 1) * scale:.3f}"

    lines = [r"\begin{tikzpicture}", rf"\draw (0,0) -- ({x(size)},0);"]
    step = max(1, size // 10)
    lines += [rf"\draw ({x(r)},0) -- ({x(r)},0.15) node[above] {{{r}}};" for r in range(1, size + 1, step)]
    for number, at in enumerate(order):
        on_left = number < half
        depth = -0.5 - 0.4 * (number if on_left else size - 1 - number) - 0.25 * len(groups)
        edge, side = (-0.4, "left") if on_left else (float(x(size)) + 0.4, "right")
        name = f"{latex_text(names[at])} ({mean_rank[at]:.2f})"
        lines.append(rf"\draw ({x(mean_rank[at])},0) |- ({edge:.3f},{depth:.2f}) node[{side}] {{{name}}};")
    for number, group in enumerate(groups):
        left, right = x(mean_rank[group[0]]), x(mean_rank[group[-1]])
        depth = -0.2 - 0.25 * number
        lines.append(rf"\draw[line width=2pt] ({left},{depth:.2f}) -- ({right},{depth:.2f});")
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def heat_chart(
    names: Sequence[str], tasks: Sequence[str], ranks: Floats, order: Sequence[int], words: Mapping[str, str]
) -> Spec:
    """The rank of every system on every task, as colours; systems in the given order."""
    rows = [
        {
            "task": one_line(tasks[task]),
            "at": task,
            "system": one_line(names[system]),
            "row": row,
            "rank": float(ranks[system, task]),
        }
        for row, system in enumerate(order[:MOST_ROWS])
        for task in range(len(tasks))
        if ranks[system, task] == ranks[system, task]
    ]
    shown = {"labelLimit": 150, "labelOverlap": False}
    squares = layer(
        {"type": "rect"},
        x=field("task:N", title=None, sort={"field": "at"}, axis={**shown, "labelAngle": -40}),
        y=field("system:N", title=None, sort={"field": "row"}, axis=shown),
        color=field("rank:Q", title=words["rank"], scale={"range": ["#1f5fb4", "#dfe8f5"]}),
    )
    return drawing(rows, max(80, 18 * min(len(order), MOST_ROWS)), squares)
