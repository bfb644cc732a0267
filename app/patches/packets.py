"""Refuses Socket.IO packets that no page sends: invalid JSON, deep nesting, or an event without a name.

    guard_packets(sio, refuse)      # `refuse` gets the id of the connection and the reason

Without this, Engine.IO logs a traceback for each exception while it reads a packet.
"""

# Socket.IO has no types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportMissingTypeStubs=false, reportUnknownParameterType=false

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

EVENT: Final = 2
"""The type of a Socket.IO packet with an event. Higher types are acknowledgements, errors and binary packets."""
MAX_DEPTH: Final = 40
"""Maximum levels of nested lists and objects in a packet. No event of the page has ten."""
_HEAD: Final = re.compile(rf"{EVENT}(?:(/[^,?]*),)?(?=\[)")
"""Matches the beginning of an event without an acknowledgement: its type and its namespace."""
_JSON: Final = json.JSONDecoder()


class BadPacketError(Exception):
    """Error: a packet that no page sends. The message does not quote the packet."""


def guard_packets(sio: Any, refuse: Callable[[str, str], None]) -> None:
    """Make `sio` refuse packets that no page sends: it calls `refuse` with the id of the connection and the reason."""
    sio.packet_class = _bounded(sio.packet_class)
    take = sio.eio.handlers["message"]

    async def take_or_refuse(eio_sid: str, data: Any) -> None:
        try:
            await take(eio_sid, data)
        except BadPacketError as fault:
            refuse(eio_sid, str(fault))

    sio.eio.on("message", take_or_refuse)


def is_deep(value: Any, most: int = MAX_DEPTH) -> bool:
    """Return True if lists and objects are nested more than `most` levels deep."""
    level = [value]
    for _ in range(most + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _bounded(packet: Any) -> Any:
    class BoundedPacket(packet):
        def decode(self, encoded_packet: Any) -> int:
            try:
                attachments: int = 0 if self._read_event(encoded_packet) else super().decode(encoded_packet)
            except RecursionError:
                raise BadPacketError("it is nested too deeply") from None
            except (ValueError, LookupError, TypeError):
                raise BadPacketError("it cannot be read") from None
            if is_deep(self.data):
                raise BadPacketError("it is nested too deeply")
            if attachments or self.packet_type not in range(EVENT + 1):
                raise BadPacketError("its type is unknown")
            if self.packet_type == EVENT and not (
                isinstance(self.data, list) and self.data and isinstance(self.data[0], str)
            ):
                raise BadPacketError("it is not an event")
            return attachments

        def _read_event(self, encoded_packet: Any) -> bool:
            """Read an event without Socket.IO's copies (up to 18 MB each). Return False for another type of packet."""
            head = _HEAD.match(encoded_packet) if isinstance(encoded_packet, str) else None
            if head is None:
                return False
            self.packet_type, self.namespace = EVENT, head[1]
            self.data, end = _JSON.raw_decode(encoded_packet, head.end())
            if end != len(encoded_packet):
                raise ValueError
            return True

    return BoundedPacket
