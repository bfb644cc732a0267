"""Settings of tools: the MCP servers."""

from __future__ import annotations

from app.ui.components.scripts import Script, script


class ToolSettings(Script):
    """The servers and the form for another, which read and write them by themselves."""

    library = script("tool_settings.jsx")
    tag = "ToolSettings"
