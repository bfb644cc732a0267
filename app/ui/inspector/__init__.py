"""The inspector, which is the column on the right of a conversation, and the dialogs of requests and versions."""
