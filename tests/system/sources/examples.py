"""Run the examples (`>>>`) in the docstrings of `app`, in a process without the settings of the tests.

python -m tests.system.sources.examples     # exit code 1 if an example is wrong; the output shows which
"""

from __future__ import annotations

import doctest
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[3]
SKIPPED = {"node_modules", "__pycache__"}


def run_all() -> tuple[int, int]:
    """Run the examples of every module. Return the number of failures and of examples."""
    failed = tried = 0
    for path in sorted((ROOT / "app").rglob("*.py")):
        if SKIPPED.isdisjoint(path.parts) and ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            result = doctest.testmod(import_module(name))
            failed, tried = failed + result.failed, tried + result.attempted
    return failed, tried


if __name__ == "__main__":
    failures, examples = run_all()
    sys.stdout.write(f"{examples} examples, {failures} failed\n")
    sys.exit(1 if failures or not examples else 0)
