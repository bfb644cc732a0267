"""Indexes of pairs, to find and measure them: texts, sizes, full text.

Elsewhere: filters as SQL (`filters`), and the pairs themselves (`conversation`).
"""
