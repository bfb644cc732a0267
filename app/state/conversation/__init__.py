"""The data that the next send uses in addition to its text: model, system prompt, temporary or not.

Other packages use these modules, so they import none of the composer, the transcript and the inspector.
"""
