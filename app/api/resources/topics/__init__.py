"""Routes of topics.

Routes that set the topic of a pair are in `conversation`.
"""
