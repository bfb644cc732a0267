"""The page of usage, and the cost of the conversation on screen, in the top bar and in the inspector."""
