"""Docstrings, comments and documents: examples are right, named files exist, and dropped words are not used."""

from __future__ import annotations

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
SKIPPED = {"node_modules", "__pycache__", "third_party"}
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
EXAMPLE = re.compile(r"^ *>>> .*", re.MULTILINE)
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|tsx?|md))`")
GLOSSARY = ROOT / "docs" / "glossary.md"


@cache
def find(folder: str, *endings: str) -> list[Path]:
    return sorted(
        path for ending in endings for path in (ROOT / folder).rglob(f"*{ending}") if SKIPPED.isdisjoint(path.parts)
    )


@cache
def list_names() -> frozenset[str]:
    """Return the path of every file of the project, and each end of the path down to the bare name."""
    files = [
        path
        for folder in ("app", "tests", "docs", "alembic", "assets")
        for path in find(folder, ".py", ".ts", ".tsx", ".md")
    ]
    paths = [path.relative_to(ROOT) for path in (*files, *ROOT.glob("*.*"))]
    return frozenset("/".join(path.parts[start:]) for path in paths for start in range(len(path.parts)))


@cache
def read_source(path: Path) -> str:
    """Return a whole file. What it does not have, its prose does not have either, which takes much longer to read."""
    return path.read_text(encoding="utf-8")


@cache
def read_prose(path: Path) -> tuple[tuple[int, str], ...]:
    """Return the docstrings and comments of a module with their lines; of a document, its lines."""
    return tuple(_iterate_prose(path))


def _iterate_prose(path: Path) -> Iterator[tuple[int, str]]:
    source = read_source(path)
    if path.suffix == ".md":
        yield from enumerate(source.splitlines(), 1)
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, inspect.cleandoc(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


@cache
def list_sources() -> list[Path]:
    """Return the modules, and the documents that describe the present: neither decisions nor the change log."""
    return [*find("app", ".py"), *find("tests", ".py"), *sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


def test_examples_in_docstrings_are_right() -> None:
    done = subprocess.run(  # the settings of the tests change a few results
        [sys.executable, "-m", "tests.system.sources.examples"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_files_named_in_texts_exist() -> None:
    known = list_names()
    unknown = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in list_sources()
        if not known.issuperset(NAMED_FILE.findall(read_source(path)))
        for line, text in read_prose(path)
        for name in NAMED_FILE.findall(text)
        if name not in known
    ]

    assert unknown == []


def test_dropped_words_are_not_used_in_prose() -> None:
    dropped = re.compile(rf"\b(?:{'|'.join(read_dropped())})\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word.group()}"
        for path in list_sources()
        if path != GLOSSARY and dropped.search(read_source(path))
        for line, text in read_prose(path)
        for word in dropped.finditer(EXAMPLE.sub("", CODE.sub("", text)))
    ]

    assert found == []


def read_dropped() -> list[str]:
    """Return the words under "Words that prose does not use" of the glossary."""
    _, _, section = GLOSSARY.read_text(encoding="utf-8").partition("## Words that prose does not use\n")
    words = re.findall(r"`([^`]+)`", section)
    assert words
    return words
