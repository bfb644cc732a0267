"""Commands of the filter bar: saved filters, and lines that act on the pairs they select.

Not here: the language (`domain/filters`) and the selection of pairs for a send (`runs/send`).
"""
