"""The database in memory that has the temporary conversations of this process."""
