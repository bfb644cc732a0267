"""The checks of TypeScript: types (`tsc`), lint and format (Biome). `make check` runs them.

python -m tests.islands.checks            # all of them; the exit code is 1 if one fails
python -m tests.islands.checks --write    # format, and fix what can be fixed
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.node import NODE

_HERE = Path(__file__).parent
_APP = _HERE.parents[1] / "app"
_PACKAGES = _HERE / "node_modules"
_TSC = _PACKAGES / "typescript/bin/tsc"
_BIOME = _PACKAGES / "@biomejs/biome/bin/biome"
_INSTALL = "The tools for TypeScript are not installed. Run: make .venv/islands"


def main(*options: str) -> int:
    if not _TSC.exists() or not (_APP / "node_modules").exists():
        print(_INSTALL)
        return 1
    commands = [[_BIOME, "check", *options, "."], [_TSC, "--project", _APP], [_TSC, "--project", _HERE]]
    return max([subprocess.run([NODE, *command], cwd=_APP, check=False).returncode for command in commands])


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
