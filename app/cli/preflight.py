"""What must be true before anything slow starts: each check is quick, and each fault is one sentence.

Not settings (`app/settings.py` checks what is written in them); these ask the machine.
"""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

from app.domain.errors import SettingsError
from app.settings import Settings


class NotReadyError(SettingsError):
    """Why the server cannot start here, and what to do."""


def bind_port(settings: Settings) -> socket.socket:
    """Bind host and port now and keep them, so that nobody takes them while the page is built."""
    where = f"{settings.host}:{settings.port}"
    try:
        family, kind, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise NotReadyError(f"INVIEW_HOST is {settings.host!r}, which no name server knows. Try 127.0.0.1.") from error
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise NotReadyError(
            f"Cannot listen on {where}: {(error.strerror or str(error)).lower()}. "
            "Stop the other program, or choose another port with INVIEW_PORT."
        ) from error
    return listener


def check_data_dir(data_dir: Path) -> None:
    """Make the data folder, for its owner alone, and raise NotReadyError unless a file can be written in it."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data_dir):
            pass
    except OSError as error:
        raise NotReadyError(
            f"Cannot write in the data folder {data_dir}: {error.strerror}. "
            "Give this user the right to, or choose another folder with INVIEW_DATA_DIR."
        ) from error
