"""The trash: deleted conversations and pairs, and the attachments that are no longer used without them: queries."""
