"""Inview's server without its page, which only a browser needs: nothing has to be built for it.

python -m tests.bench.servers.without_page PORT        # its data folder and providers come from the environment
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path

from app.cli.server import run
from app.config.settings import load_settings
from app.store.database.migrations import upgrade


def main(port: int) -> None:
    settings = load_settings(dict(os.environ))
    upgrade(settings.database_url)
    with tempfile.TemporaryDirectory() as page, socket.create_server(("127.0.0.1", port)) as listener:
        (Path(page) / "404.html").write_text("Nothing here.")
        run(settings, Path(page), listener, print)


if __name__ == "__main__":
    main(int(sys.argv[1]))
