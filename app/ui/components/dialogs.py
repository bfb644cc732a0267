"""What Python asks of the old scripts of dialogs and of the cursor in the history."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_base.utils.imports import ImportVar

from app.ui.components.scripts import script


def leave_pair(pair_id: rx.Var[str]) -> rx.Var[Any]:
    """Go to the pair beside this one, which is about to go, once the dialog is closed."""
    return _call("dialogs.js", "leaveSoon", pair_id)


def ask_delete(pair: rx.Var[Any]) -> rx.Var[Any]:
    """Ask whether to delete the pair, as its key does."""
    return _call("dialogs.js", "askDelete", pair)


def ask_model(pair: rx.Var[Any]) -> rx.Var[Any]:
    """Choose the model that answers the pair again."""
    return _call("dialogs.js", "askModel", pair)


def _call(module: str, function: str, argument: rx.Var[Any]) -> rx.Var[Any]:
    made = rx.vars.VarData.merge(
        argument._get_all_var_data(),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no other name
        rx.vars.VarData(imports={script(module): [ImportVar(tag=function)]}),
    )
    return rx.Var(f"(() => {function}({argument!s}))", _var_type=rx.EventChain, _var_data=made)
