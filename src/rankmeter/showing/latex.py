"""Tables as LaTeX: text stays text, in a cell and in a comment."""

from __future__ import annotations

from collections.abc import Sequence

from rankmeter.showing.document import Cell, Column, Table
from rankmeter.wording.characters import one_line

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    r"""Text that LaTeX shows as it is.

    >>> print(latex_text("bm25_v2 & 50%"))
    bm25\_v2 \& 50\%
    """
    escaped = "".join(_LATEX.get(character, character) for character in one_line(text))
    # At the beginning of a row, a bracket or a star would be read as an argument of the \\ before it.
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped.startswith(("[", "*")) else escaped


def latex_comment(text: str) -> str:
    r"""A comment on one line: a line break in a name would end it, and LaTeX would run what follows.

    >>> print(latex_comment("by kind:\n\\input{secret}"))
    % by kind: \input{secret}
    """
    return f"% {one_line(text)}"


def table_latex(table: Table, comments: Sequence[str] = ()) -> str:
    r"""A ``tabular`` with the rules of booktabs, the best in bold, comments above it."""
    shown = table.only(lambda column: column.kind not in ("bar", "mark"))
    rows = [
        " & ".join(_cell(cell, column) for cell, column in zip(row, shown.columns, strict=True)) + r" \\"
        for row in shown.rows
    ]
    return "\n".join(
        [
            *map(latex_comment, comments),
            rf"\begin{{tabular}}{{{''.join('l' if column.is_text else 'r' for column in shown.columns)}}}",
            r"\toprule",
            " & ".join(latex_text(column.head) for column in shown.columns) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


_ARROWS = {"↑": r"$^{\uparrow}$", "↓": r"$^{\downarrow}$", "": ""}


def _cell(cell: Cell, column: Column) -> str:
    """Marks need no package: arrows are mathematics, numbers and ranges of systems are raised text."""
    text = latex_text(cell.text(column))
    marked = rf"\textbf{{{text}}}" if "best" in cell.marks and text else text
    raised = rf"\textsuperscript{{{cell.raised.replace('-', '--')}}}" if cell.raised else _ARROWS[cell.arrow]
    span = cell.span_text(column) if isinstance(cell.span, tuple) else latex_text(cell.span or "")
    return " ".join(part for part in (marked, span) if part) + raised
