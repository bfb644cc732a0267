"""Views of a conversation: its pairs, the nodes between them, its branches and its lineage."""
