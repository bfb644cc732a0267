"""What the next send uses besides its text: the model, the system prompt, and whether the conversation is temporary.

Other packages use these modules, so they import none of the composer, the transcript and the inspector.
"""
