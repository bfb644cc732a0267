"""The audit trail: table and queries."""
