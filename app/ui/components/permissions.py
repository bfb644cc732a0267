"""The settings of permissions: what may be called without asking, and every decision so far."""

from __future__ import annotations

from app.ui.components.scripts import Script, script


class PermissionSettings(Script):
    """Rules to be revoked, and the audit trail. It reads and writes by itself."""

    library = script("permission_settings.jsx")
    tag = "PermissionSettings"
