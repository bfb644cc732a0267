"""The addresses of the pages. `app.state.tab.address` makes and reads the address of one conversation."""

from __future__ import annotations

from typing import Final

from app.state.tab.address import PREFIX

HOME: Final = "/"
CONVERSATION: Final = f"{PREFIX}[conversation]"
SETTINGS: Final = "/settings"
PROVIDERS: Final = f"{SETTINGS}#providers"
TOOL_SETTINGS: Final = f"{SETTINGS}#tools"
PROVIDER_ID: Final = "provider-"
"""Start of the id of a provider's card. The name of the provider follows."""
PROVIDER: Final = f"{SETTINGS}#{PROVIDER_ID}"
TRASH: Final = "/trash"
AGENTS: Final = "/agents"
USAGE: Final = "/usage"
NOT_FOUND: Final = "/404"
