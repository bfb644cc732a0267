"""Changes of MCP servers as messages to other processes.

ServerChange("ada", "01server")                     # added, changed or deleted
ServerChange("ada", "01server", sharing=True)       # shared, or not any more
ServerChange("ada")                                 # what this person may use changed: their role did
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerChange:
    """What changed, and no more than its place: what is set up is in the database. `owner` None: perhaps anything."""

    owner: str | None
    server_id: str | None = None
    sharing: bool = False
