"""The filter language itself: its words, the tree of a filter, its commands, and how to write them as text.

Not how a text is read (`parser`), and not what a filter asks of pairs (`conditions`).
"""
