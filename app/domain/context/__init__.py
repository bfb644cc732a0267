"""The content of a request: view, boundary, budget, selection, and middleware.

Not here: counting tokens (`tokens`) and the filter language (`filters`).
"""
