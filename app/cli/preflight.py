"""Quick checks of the machine before anything slow starts. Each error is one sentence.

`app/config/settings.py` checks the settings themselves.
"""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.config.settings import SQLITE, Settings
from app.domain.errors import InputError, SettingsError

_OTHERS: Final = 0o077
"""The permission bits of a file mode for users other than the owner."""


class NotReadyError(SettingsError):
    """Error: the server cannot start here. The message has the reason and the next step."""


def bind_port(settings: Settings) -> socket.socket:
    """Bind the host and port of the server, so that no other program can take them while the page is built.

    Raises:
        NotReadyError: the host cannot be resolved, or the port is not free.
    """
    where = f"{settings.host}:{settings.port}"
    try:
        family, kind, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise NotReadyError(f"INVIEW_HOST is {settings.host!r}, which cannot be resolved. Try 127.0.0.1.") from error
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


def check_compatible(settings: Settings) -> None:
    """Raise NotReadyError if a server in INVIEW_COMPATIBLE cannot be used as a provider under its name."""
    # Imported here, so that other commands do not wait for these modules.
    from app.providers.base import Credentials  # noqa: PLC0415 - see above
    from app.providers.registry import compatible_row, make_provider  # noqa: PLC0415 - see above

    for server in settings.compatible:
        credentials = Credentials(server.api_key and server.api_key.reveal(), server.base_url)
        try:
            make_provider(compatible_row(server.name, credentials), credentials)
        except InputError as error:
            raise NotReadyError(f"INVIEW_COMPATIBLE: {error.reason}") from error


def keep_to_owner(settings: Settings, say: Callable[[str], None]) -> None:
    """Make the data folder and the files of Inview readable only for their owner, also files of an older version.

    `say` gets a sentence for each mode that cannot be changed.
    """
    database = settings.database_url.removeprefix(SQLITE).partition("?")[0]
    beside = (Path(f"{database}{ending}") for ending in ("", "-wal", "-shm", "-journal", "-owner", "-opening"))
    files = {*settings.data_dir.glob("inview*"), *beside}
    for path, mode in ((settings.data_dir, 0o700), *((file, 0o600) for file in sorted(files) if file.is_file())):
        if path.stat().st_mode & _OTHERS and (fault := _set_mode(path, mode)):
            say(f"Others on this machine can read {path}: {fault}. Run: chmod {mode:o} {path}")


def _set_mode(path: Path, mode: int) -> str:
    """Set the mode of a file. Return the reason if that failed, otherwise an empty text."""
    try:
        path.chmod(mode)
    except OSError as error:
        return f"its mode could not be changed ({(error.strerror or str(error)).lower()})"
    return "its file system does not support modes" if path.stat().st_mode & _OTHERS else ""


def check_data_dir(data_dir: Path) -> None:
    """Make the data folder, readable only for its owner. Raise NotReadyError unless a file can be written in it."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data_dir):
            pass
    except OSError as error:
        raise NotReadyError(
            f"Cannot write in the data folder {data_dir}: {error.strerror}. Give this user write permission, or "
            "choose another folder with INVIEW_DATA_DIR."
        ) from error
