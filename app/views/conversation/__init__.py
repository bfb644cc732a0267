"""Views of a conversation: its pairs, the nodes between them, and its lineage."""
