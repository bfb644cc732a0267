"""Token estimates: families of models, images, and calibration from providers' usage reports.

Not here: prices (`costs`) and the budget of a send (`context`).
"""
