"""What Python asks of the old scripts of dialogs."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_base.utils.imports import ImportVar

from app.ui.components.scripts import script


def ask_model(pair: rx.Var[Any]) -> rx.Var[Any]:
    """Choose the model that answers the pair again."""
    made = rx.vars.VarData.merge(
        pair._get_all_var_data(),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no other name
        rx.vars.VarData(imports={script("dialogs.js"): [ImportVar(tag="askModel")]}),
    )
    return rx.Var(f"(() => askModel({pair!s}))", _var_type=rx.EventChain, _var_data=made)
