"""Functions for plain text: differences, patterns with stars, search lines, and the number of values in a JSON text.

Not here: the parts of a message (`conversation`) and the filter language (`filters`).
"""
