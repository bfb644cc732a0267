"""All tables: import `Row` from here to have the whole metadata. Each new module of rows is named here."""

from __future__ import annotations

from importlib import import_module

from app.store.database.row import Row

for _module in (
    "app.store.conversation.rows",
    "app.store.settings.rows_agents",
    "app.store.conversation.rows_attachment",
    "app.store.audit.rows_audit",
    "app.store.ledger.rows_budgets",
    "app.store.conversation.rows_comparison",
    "app.store.organise.rows_filters",
    "app.store.organise.rows_folders",
    "app.store.organise.rows_imports",
    "app.store.index.rows_index",
    "app.store.run.rows_journal",
    "app.store.cache.rows_keep_warm",
    "app.store.ledger.rows_ledger",
    "app.store.tools.rows_permissions",
    "app.store.ledger.rows_prices",
    "app.store.cache.rows_prompt_cache",
    "app.store.people.rows_people",
    "app.store.people.rows_identities",
    "app.store.people.rows_passkeys",
    "app.store.people.rows_second_steps",
    "app.store.people.rows_allowances",
    "app.store.people.rows_tokens",
    "app.store.organise.rows_prompts",
    "app.store.organise.rows_shares",
    "app.store.organise.rows_grants",
    "app.store.run.rows_queue",
    "app.store.run.rows_idempotency",
    "app.store.index.rows_search",
    "app.store.conversation.rows_source",
    "app.store.tools.rows_servers",
    "app.store.settings.rows_settings",
    "app.store.tools.rows_tools",
    "app.store.run.rows_sent",
    "app.store.run.rows_toolset",
    "app.store.organise.rows_topics",
    "app.store.conversation.rows_upload",
):
    import_module(_module)  # the metadata knows a table once its module was loaded

__all__ = ["Row"]
