"""Views of the audit trail."""
