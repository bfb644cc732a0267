"""Token estimates: families of models, images, and calibration by what providers reported.

Not prices (`costs`) and not what fits into a send (`context`).
"""
