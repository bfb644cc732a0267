"""The address of an exported file.

>>> export_address("c1", format="md", filter="s>=2", model=None)
'/api/v1/conversations/c1/export?format=md&filter=s%3E%3D2'
"""

from __future__ import annotations

from urllib.parse import urlencode


def export_address(conversation_id: str, **parameters: str | None) -> str:
    """The address with the parameters that are given; None gives none."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"/api/v1/conversations/{conversation_id}/export?{urlencode(given)}"
