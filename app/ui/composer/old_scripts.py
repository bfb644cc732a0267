"""What the composer still asks of scripts that are not Python yet: the dialog of summaries."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_base.utils.imports import ImportVar

from app.ui.components.scripts import script


def _event(module: str, function: str, argument: str) -> rx.Var[Any]:
    imports = {script(module): [ImportVar(tag=function)]}
    made = rx.vars.VarData(imports=imports)
    return rx.Var(f"(() => {function}({argument}))", _var_type=rx.EventChain, _var_data=made)


def ask_summary() -> rx.Var[Any]:
    """Open the dialog that asks what is to be summarised."""
    return _event("dialogs.js", "askSummary", "")
