"""The column on the right of a conversation, and the dialogs that show requests and versions."""
