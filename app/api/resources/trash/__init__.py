"""Routes of the trash.

Routes that delete a conversation or a pair are in `conversation`.
"""
