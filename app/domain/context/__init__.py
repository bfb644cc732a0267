"""The content of a request: the pairs in view, those that fit into the budget, and middleware that changes requests.

Not here: counting tokens (`tokens`) and the filter language (`filters`).
"""
