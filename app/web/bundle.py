"""Changes the built page before it is served, so that it uses the backend at the address that it was loaded from.

Not here: the build (`app/cli/build.py`) and the serving (`files.py`). Reflex writes the backend's address, with its
port, into the scripts of the page. The build uses placeholder addresses that cannot exist, and this module replaces
them by expressions, so that one build works on any host, any port and behind any proxy.

    >>> same_origin('r={EVENT:"ws://same-origin.invalid/_event"}')
    'r={EVENT:location.origin.replace("http","ws")+"/_event"}'
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from app.domain.errors import InviewError

# Names that end in .invalid never resolve (RFC 2606). So a placeholder that remains after a change of Reflex reaches no
# host.
PLACEHOLDER_HOST: Final = "same-origin.invalid"

_ADDRESS: Final = re.compile(r"""(["'`])(ws|http)s?://same-origin\.invalid(/[\w/-]*)\1""")
_ORIGIN: Final = {"ws": 'location.origin.replace("http","ws")', "http": "location.origin"}


class BundleError(InviewError):
    """Error: the built files differ from the known form. Reflex has changed, and this module must change too."""


def same_origin(script: str) -> str:
    """Replace each address with the host `PLACEHOLDER_HOST` in a script by an expression for the origin of the page."""
    return _ADDRESS.sub(lambda found: f'{_ORIGIN[found[2]]}+"{found[3]}"', script)


def free_from_address(static_dir: Path) -> None:
    """Replace the placeholder addresses in the scripts of the built page by expressions for the origin of the page.

    Raises:
        BundleError: no script contains a placeholder address, or a script contains it in an unknown form.
    """
    naming = [path for path in static_dir.rglob("*.js") if PLACEHOLDER_HOST in path.read_text()]
    if not naming:
        raise BundleError(
            f"No script in {static_dir} contains the backend's address. This version of Reflex stores it elsewhere."
        )
    for path in naming:
        script = same_origin(path.read_text())
        if PLACEHOLDER_HOST in script:
            raise BundleError(f"{path} contains the backend's address in a form that same_origin() does not know.")
        path.write_text(script)
