"""Modules that note which of their statements run."""

from __future__ import annotations

import ast


def statements(tree: ast.Module) -> list[ast.stmt]:
    """Every statement of a module, in the order of the text."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset, -(node.end_lineno or 0)))


def noting(tree: ast.Module) -> tuple[ast.Module, int]:
    """The module with a note before each statement, numbered in the order of the text, and how many there are."""
    numbers = {id(node): number for number, node in enumerate(statements(tree))}
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                setattr(node, field, _noted(block, numbers))
    return tree, len(numbers)


def _noted(block: list[ast.stmt], numbers: dict[int, int]) -> list[ast.stmt]:
    noted: list[ast.stmt] = []
    for node in block:
        first = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)  # a docstring stays the first
        if not first and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            note = ast.parse(f"_ran_[{numbers[id(node)]}] = 1").body[0]
            for part in ast.walk(note):
                ast.copy_location(part, node)
            noted.append(note)
        noted.append(node)
    return noted
