"""Commands of the filter bar: saved filters, and lines that act on the pairs they select.

Not the language (`domain/filters`) and not what a filter selects for a send (`runs/send`).
"""
