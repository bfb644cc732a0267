"""Import every module of the tests: `python -m tests.collect_all`. A module that cannot be imported fails.

Python compiles a module when it is first imported, and keeps the result. In a new copy of the project each of the
processes that share the tests would compile the same thousand modules.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest


def main() -> int:
    """Collect all tests and run none. Print what pytest says only if that fails. Return its exit code."""
    said = io.StringIO()
    with redirect_stdout(said):
        code = pytest.main(["--collect-only", "-qq", str(Path(__file__).parent)])
    if code:
        sys.stdout.write(said.getvalue())
    return code


if __name__ == "__main__":
    sys.exit(main())
