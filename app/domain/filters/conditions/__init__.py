"""What a filter asks of pairs: names looked up, days as instants, and the conditions asked in memory.

Not the same conditions as SQL (`store/index/filter_queries.py`).
"""
