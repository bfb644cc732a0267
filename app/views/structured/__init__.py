"""Views of structured replies, for programs (`structured`) and for the page (`shown_reply`)."""
