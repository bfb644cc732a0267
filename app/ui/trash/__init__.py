"""The page of the trash: the list of deleted items, and the dialog that deletes an item permanently."""
