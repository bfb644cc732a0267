"""From a line of text to the tree of a filter, or an error that says where and what to type instead.

Not the tree itself (`language`), and not the parts of saved filters (`saved`).
"""
