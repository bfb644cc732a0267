"""All tables: who needs the metadata whole takes `Row` from here. A new module of rows is named here."""

from __future__ import annotations

from importlib import import_module

from app.store.rows import Row

for _name in (
    "agents",
    "attachment",
    "budgets",
    "comparison",
    "filters",
    "index",
    "journal",
    "keep_warm",
    "ledger",
    "permissions",
    "prices",
    "prompt_cache",
    "queue",
    "search",
    "servers",
    "settings",
    "tools",
    "toolset",
    "topics",
):
    import_module(f"app.store.rows_{_name}")  # the metadata knows a table once its module was loaded

__all__ = ["Row"]
