"""The composer: the text area with its tools, what waits above it, and the dialogs it opens."""
