"""The events of an incoming reply, and the reading of reasoning between tags as thinking.

Not here: the bytes of a stream (`app/providers/wire`) and the events of each vendor (`app/providers/vendors`).
"""
