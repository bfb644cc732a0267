"""The conversation on screen: its pairs, its title and cards, and its checkpoint. Not here: one reply (`reply`)."""
