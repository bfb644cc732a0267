"""The filter of the conversation on screen: which one is in force, the line it is typed in, and the saved ones.

`applied.py` is what others need: `FilterState` holds the filter in force and the view options that go with it.
"""
