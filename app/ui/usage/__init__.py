"""The page of usage, and what the conversation on screen has cost: in the top bar and in the inspector."""
