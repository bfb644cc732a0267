"""Log lines about connections that the server ends because of their data: sampled, and without the content."""

from __future__ import annotations

import logging
from typing import Final

from app.patches.sampling import Sampler

_sampler: Final = Sampler(logging.getLogger(__name__).warning)


def note_refusal(client: tuple[str, int] | None, line: str) -> None:
    """Log `line`, the reason for ending the connection of this client."""
    _sampler.write("{}:{}".format(*client) if client else "", line)
