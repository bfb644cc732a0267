"""All tables: who needs the metadata whole takes `Row` from here. A new module of rows is named here."""

from __future__ import annotations

from importlib import import_module

from app.store.row import Row

for _module in (
    "app.store.rows",
    "app.store.rows_agents",
    "app.store.rows_attachment",
    "app.store.rows_budgets",
    "app.store.rows_comparison",
    "app.store.rows_filters",
    "app.store.rows_index",
    "app.store.rows_journal",
    "app.store.rows_keep_warm",
    "app.store.rows_ledger",
    "app.store.rows_permissions",
    "app.store.rows_prices",
    "app.store.rows_prompt_cache",
    "app.store.rows_queue",
    "app.store.rows_search",
    "app.store.rows_servers",
    "app.store.rows_settings",
    "app.store.rows_tools",
    "app.store.rows_toolset",
    "app.store.rows_topics",
    "app.store.rows_upload",
):
    import_module(_module)  # the metadata knows a table once its module was loaded

__all__ = ["Row"]
