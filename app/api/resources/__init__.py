"""The routes, with a package for each group of resources.

Shared code is in `api/http`. A route makes no decisions: it calls a command or a query.
"""
