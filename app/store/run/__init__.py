"""Runs with their journal, queue, comparisons and sent requests: tables and queries.

Elsewhere: tool calls (`tools`) and usage (`ledger`).
"""
