"""What goes into a request: view, boundary, budget, selection, and what middleware changes.

Not how tokens are counted (`tokens`) and not the filter language (`filters`).
"""
