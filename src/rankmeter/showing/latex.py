"""LaTeX: text that stays text, in a table and in a comment."""

from __future__ import annotations

from rankmeter.showing.characters import one_line

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
    # A row that begins with a bracket or a star would be read as what may follow the \\ before it.
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped.startswith(("[", "*")) else escaped


def latex_comment(text: str) -> str:
    r"""A comment of one line: a line break in a name would end it, and what follows would be obeyed.

    >>> print(latex_comment("by kind:\n\\input{secret}"))
    % by kind: \input{secret}
    """
    return f"% {one_line(text)}"
