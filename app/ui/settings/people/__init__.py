"""Sections about people: one's own account, everybody's accounts, what each may use, API tokens, the audit trail."""
