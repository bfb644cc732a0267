"""The pages' addresses. That of one conversation is made and read in `app.state.address`."""

from __future__ import annotations

from typing import Final

from app.state.address import GRANTED, NEW, PREFIX

HOME: Final = "/"
CONVERSATION: Final = f"{PREFIX}[conversation]"
FILLED_IN: Final = f"{PREFIX}{NEW}"
SETTINGS: Final = "/settings"
TRASH: Final = "/trash"
IMPORT: Final = "/import"
AGENTS: Final = "/agents"
AUDIT: Final = "/audit"
PAIRS: Final = "/pairs"
PROMPTS: Final = "/prompts"
SHARED: Final = GRANTED
SHARES: Final = "/shares"
STATUS: Final = "/status"
USAGE: Final = "/usage"
NOT_FOUND: Final = "/404"
