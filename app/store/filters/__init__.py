"""Saved and applied filters: tables and queries; and filters as SQL, which select pairs."""
