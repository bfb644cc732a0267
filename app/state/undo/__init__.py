"""The Undo key, and the offer to undo after a reload. The Undo of a toast is in `messages`."""
