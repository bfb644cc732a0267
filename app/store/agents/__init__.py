"""Agents: table and queries."""
