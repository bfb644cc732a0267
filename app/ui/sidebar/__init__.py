"""The left column: the conversations, and what can be done to each."""
