"""Routes of filters: saved filters, the history of applied filters, the filter bar.

Routes of the pairs in view are in `conversation`.
"""
