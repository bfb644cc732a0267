"""What a server at rest has loaded, and that Reflex finds its way without what it was spared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Everything `inview serve` imports, in its order, short of listening.
START = """
import sys
from app.cli.sparing import import_sparingly
import_sparingly("structlog")
import_sparingly("uvicorn")
from app.cli import logs, server
from app.settings import load_settings
server.build_house(load_settings({}))
print(*sys.modules)
from reflex.utils import prerequisites, token_manager
assert prerequisites.get_redis() is None and prerequisites.get_redis_sync() is None
assert type(token_manager.TokenManager.create()) is token_manager.LocalTokenManager
"""
# Each weighs one megabyte at least and is for what a server at rest does not do.
UNWANTED = {
    "anthropic", "google", "mcp", "openai", "tiktoken",
    "alembic", "lxml", "markdown_it", "numpy", "pandas", "PIL", "pygments", "redis.client", "requests", "watchfiles",
    "sqlalchemy.dialects.postgresql",
}  # fmt: skip


def test_a_server_at_rest_has_loaded_nothing_that_it_does_not_need() -> None:
    started = subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert started.returncode == 0, started.stderr
    loaded = set(started.stdout.split())
    assert "app.app" in loaded
    assert loaded & UNWANTED == set()
