"""Python files of this project, each parsed once for all tests that look at how they are
written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CAMEL = re.compile(r"[A-Z](?=\w*[a-z])\w*")
DOTTED = re.compile(r"[a-z_]+(\.\w+)+")
BY_NAME = ("getattr", "setattr", "delattr", "hasattr", "object")  # the last is unittest.mock's
IN_A_STRING = re.compile(r"(?<!\bself)(?<=[\w\])])\.(_[a-z]\w*)")


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
    classes: tuple[str, ...]  # those within classes and functions too
    aliases: tuple[tuple[str, str], ...]  # names of types at the module's own level, each with what it stands for
    imports: tuple[Import, ...]  # those inside functions and type-checking blocks too
    dotted: frozenset[str]  # strings that may name a module
    private: frozenset[str]  # names with an underscore that are asked of another than oneself


@cache
def parsed(path: Path) -> Parsed:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))  # half of what parsing costs: once
    imports: list[Import] = []
    dotted = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            imports += [Import(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append(Import(node.module or "", tuple(alias.name for alias in node.names), node.level))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and DOTTED.fullmatch(node.value):
            dotted.add(node.value)
    return Parsed(
        docstring=ast.get_docstring(tree) or "",
        holds_code=any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in tree.body),
        classes=tuple(node.name for node in nodes if isinstance(node, ast.ClassDef)),
        aliases=tuple(alias for node in tree.body for alias in _aliases(node)),
        imports=tuple(imports),
        dotted=frozenset(dotted),
        private=frozenset(name for node in nodes for name in _private(node)),
    )


def _aliases(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the type that it names. Not those with `Annotated`, which are a parameter of a route or
    a command, called as that is."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=base) as value) if CAMEL.fullmatch(name):
            if ast.unparse(base) != "Annotated":
                yield name, ast.unparse(value)
        case ast.Assign(targets=[ast.Name(id=name)], value=(ast.BinOp(op=ast.BitOr()) | ast.Name()) as value):
            if CAMEL.fullmatch(name):
                yield name, ast.unparse(value)


def _private(node: ast.AST) -> list[str]:
    """As an attribute, an import, the name given to setattr and its like, or in code that is a
    string."""
    names: list[str] = []
    match node:
        case (
            ast.Attribute(value=ast.Name(id="self" | "cls")) | ast.Attribute(value=ast.Call(func=ast.Name(id="super")))
        ):
            return []
        case ast.Attribute(attr=name):
            names = [name]
        case ast.ImportFrom(names=imported):
            names = [alias.name for alias in imported]
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=given) if called in BY_NAME:
            said = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            names = [name.rpartition(".")[2] for name in said]
        case ast.Constant(value=str(text)):
            names = IN_A_STRING.findall(text)
    return [name for name in names if name.startswith("_") and not name.startswith("__")]
