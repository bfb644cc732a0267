"""Indexes of pairs, to find and measure them: texts, sizes, full text, and filters as SQL.

The pairs themselves are in `conversation`.
"""
