"""The routes, a package for each group of resources.

Not what they share (`api/http`) and no decision: each calls a command or a query.
"""
