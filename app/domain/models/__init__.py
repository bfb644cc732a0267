"""The profile of a model, and the result of the request for a provider's list of models.

Not here: the lists and the profiles themselves (`app/providers/models`).
"""
