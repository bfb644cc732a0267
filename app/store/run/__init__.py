"""Runs with their journal, queue and sent requests: tables and queries.

Elsewhere: comparisons (`compare`), tool calls (`tools`) and usage (`ledger`).
"""
