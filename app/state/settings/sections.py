"""The sections of the settings page: the key of each name in the catalogue, by the id of its heading."""

from __future__ import annotations

from typing import Final

SECTIONS: Final = {
    "providers": "settings.providers.providers",
    "privacy": "settings.privacy.privacy",
    "context": "settings.context.context",
    "titles": "settings.titles.titles_and_replays",
    "tools": "common.tools",
    "permissions": "settings.permissions.permissions",
    "tokens": "settings.tokens.title",
    "retention": "settings.retention.title",
    "appearance": "settings.appearance.title",
    "keys": "settings.keys.keys",
}
