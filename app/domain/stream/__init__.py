"""The events of an incoming reply: what they are, and how reasoning between tags becomes thinking.

Not here: the bytes of a stream (`app/providers/wire`) and the events of each vendor (`app/providers/vendors`).
"""
