"""The route of the audit trail."""
