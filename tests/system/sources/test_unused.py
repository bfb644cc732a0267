"""Functions of the app that nothing in the app calls."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tests.system.sources.test_names import APP

EXPECTED = {
    "free_from_address": "called by rxconfig.py",
    "describe_sheet": "writes docs/filters.md",
    "describe_diagram": "writes docs/lifecycle.md",
    "rebuild_sums": "repairs the sums of the ledger by hand",
    "find_faults": "compares the sums with the ledger in tests and in the benchmark",
    "load_calls": "reads the ledger in tests",
    "load_pair_tool_calls": "reads the tool calls of a pair in tests",
    "forget_refused": "restores the state of the schema checker between tests",
}
"""Functions with another caller, and which."""


def read_sources() -> list[str]:
    return [path.read_text("utf-8") for path in APP.rglob("*.py") if "node_modules" not in path.parts]


def list_functions(sources: Iterable[str]) -> Iterator[str]:
    """Yield the names of the functions of modules. A decorator may register a function, so these are left out."""
    for source in sources:
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
                yield node.name


def test_each_function_has_a_caller() -> None:
    sources = read_sources()
    words = Counter(word for source in sources for word in re.findall(r"\w+", source))

    assert {name for name in list_functions(sources) if words[name] == 1} == set(EXPECTED)
