"""Modules loaded by an idle server, and that Reflex works without the modules that were removed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.serving import ROOT, server_environment

# `inview serve` with first start and migration, but without its page; it ends as soon as everything is ready.
START = """
import os, signal, sys
from pathlib import Path
from app.cli import build, main
build.ensure_built = lambda _say: Path(sys.argv[1])
main.typer.echo = lambda said: said.startswith("Inview: ") and os.kill(os.getpid(), signal.SIGTERM)
main.serve()
print(*sys.modules)
from reflex.utils import prerequisites, token_manager
assert prerequisites.get_redis() is None and prerequisites.get_redis_sync() is None
assert type(token_manager.TokenManager.create()) is token_manager.LocalTokenManager
"""
# Each uses one megabyte at least and is not needed by an idle server.
UNWANTED = {
    "anthropic", "google", "mcp", "openai", "tiktoken",
    "alembic", "lxml", "markdown_it", "numpy", "pandas", "PIL", "pygments", "redis.client", "requests", "watchfiles",
    "sqlalchemy.dialects.postgresql",
}  # fmt: skip


def test_a_server_at_rest_has_loaded_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    page, data = tmp_path / "page", tmp_path / "data"
    page.mkdir()
    (page / "404.html").write_text("Nothing here.")

    started = subprocess.run(
        [sys.executable, "-c", START, str(page)],
        cwd=ROOT,
        env=server_environment(data, 0),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert started.returncode == 0, started.stderr
    assert (data / "inview.db").is_file()
    loaded = set(started.stdout.split())
    assert "app.app" in loaded
    assert loaded & UNWANTED == set()
