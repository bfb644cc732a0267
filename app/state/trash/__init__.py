"""The page of the trash."""
