"""Queries of the trash: deleted conversations and pairs, and the attachments that only they use."""
