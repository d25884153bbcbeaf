"""Python files of this project, each parsed once for all tests that look at how they are
written."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DOTTED = re.compile(r"[a-z_]+(\.\w+)+")


@dataclass(frozen=True)
class Import:
    """`import a` is a module without names; `from a import b` has b; `level` counts the dots of a
    relative one."""

    module: str
    names: tuple[str, ...] = ()
    level: int = 0


@dataclass(frozen=True)
class Parsed:
    docstring: str
    holds_code: bool  # says more than its docstring
    classes: tuple[str, ...]  # at the module's own level
    imports: tuple[Import, ...]  # those inside functions and type-checking blocks too
    dotted: frozenset[str]  # strings that may name a module


@cache
def parsed(path: Path) -> Parsed:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports: list[Import] = []
    dotted = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [Import(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append(Import(node.module or "", tuple(alias.name for alias in node.names), node.level))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and DOTTED.fullmatch(node.value):
            dotted.add(node.value)
    return Parsed(
        docstring=ast.get_docstring(tree) or "",
        holds_code=any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in tree.body),
        classes=tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
        imports=tuple(imports),
        dotted=frozenset(dotted),
    )
