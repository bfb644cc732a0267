"""Work on plain text: differences, patterns with stars, the line of a search, the number of values in JSON.

Not here: the parts of a message (`conversation`) and the filter language (`filters`).
"""
