"""Imports all tables. Import `Row` from here if you need the complete metadata.

Add each new module of rows to the list.
"""

from __future__ import annotations

from importlib import import_module

from app.store.database.row import Row

for _module in (
    "app.store.conversation.rows",
    "app.store.agents.rows_agents",
    "app.store.attachments.rows_attachment",
    "app.store.audit.rows_audit",
    "app.store.ledger.rows_budgets",
    "app.store.conversation.rows_comparison",
    "app.store.conversation.rows_folders",
    "app.store.run.rows_delivery",
    "app.store.filters.rows_filters",
    "app.store.index.rows_index",
    "app.store.run.rows_journal",
    "app.store.cache.rows_keep_warm",
    "app.store.ledger.rows_ledger",
    "app.store.tools.rows_permissions",
    "app.store.ledger.rows_prices",
    "app.store.ledger.rows_sent",
    "app.store.cache.rows_prompt_cache",
    "app.store.run.rows_queue",
    "app.store.index.rows_search",
    "app.store.tools.rows_servers",
    "app.store.settings.rows_settings",
    "app.store.tools.rows_tools",
    "app.store.run.rows_toolset",
    "app.store.topics.rows_topics",
    "app.store.attachments.rows_upload",
):
    import_module(_module)  # the metadata has a table only after its module was imported

__all__ = ["Row"]
