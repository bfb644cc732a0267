"""The list of pairs in view, the cards before them and the nodes between them. Not one pair (`reply`)."""
