"""Changes to the built page before it is served, among them: its backend is the address that the page came from.

Not the build itself (`app/cli/build.py`) and not the serving (`files.py`). Reflex bakes the backend's address, port
included, into one file of the bundle. We build with addresses nobody can have and put expressions in their place,
so that one build serves any host, any port and any proxy.

    >>> same_origin('r={EVENT:"ws://same-origin.invalid/_event"}')
    'r={EVENT:location.origin.replace("http","ws")+"/_event"}'
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from app.domain.errors import InviewError

# .invalid never resolves (RFC 2606): a placeholder that survived a change of Reflex cannot reach anybody.
PLACEHOLDER_HOST: Final = "same-origin.invalid"

_ADDRESS: Final = re.compile(r"""(["'`])(ws|http)s?://same-origin\.invalid(/[\w/-]*)\1""")
_ORIGIN: Final = {"ws": 'location.origin.replace("http","ws")', "http": "location.origin"}


class BundleError(InviewError):
    """The built files are not as we know them: Reflex changed, and so must this module."""


def same_origin(script: str) -> str:
    """Put the page's own origin where a placeholder address stands."""
    return _ADDRESS.sub(lambda found: f'{_ORIGIN[found[2]]}+"{found[3]}"', script)


def free_from_address(static_dir: Path) -> None:
    """Rewrite the one file of the built page that names the backend.

    Raises:
        BundleError: no file, or a file of another shape, names it.
    """
    naming = [path for path in static_dir.rglob("*.js") if PLACEHOLDER_HOST in path.read_text()]
    if not naming:
        raise BundleError(f"No script in {static_dir} names the backend's address. Reflex keeps it elsewhere now.")
    for path in naming:
        script = same_origin(path.read_text())
        if PLACEHOLDER_HOST in script:
            raise BundleError(f"{path} names the backend's address in a way same_origin() does not know.")
        path.write_text(script)
