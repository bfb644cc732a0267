"""Commands of the filter bar: saved filters, and lines with a command for the pairs that they select.

Not here: the language (`domain/filters`) and the selection of pairs for a send (`runs/send`).
"""
