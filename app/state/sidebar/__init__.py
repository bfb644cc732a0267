"""The left column: the list of conversations and its rows. Not here: the topics (`topics`) and agents (`agents`)."""
