"""The transcript: the pairs in view with the cards above them, the title and its menu. `reply` has parts of a pair."""
