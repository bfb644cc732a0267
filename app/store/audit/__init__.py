"""The audit trail: its tables, entering and listing entries, the queue of what waits to be entered, and the check.

Not what is audited: the tables of rules in `state` and `api` say that.
"""
