"""The left column: the conversations, and actions for each."""
