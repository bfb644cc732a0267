"""Runs with their journal, queue, comparisons and sent requests: tables and queries.

Not the calls of tools (`tools`) and not what they used (`ledger`).
"""
