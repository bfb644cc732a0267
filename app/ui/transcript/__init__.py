"""The list of pairs in view, the cards before them and the nodes between them. `reply` has the parts of a pair."""
