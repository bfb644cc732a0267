"""Pairs with all rows that belong to them, for export, import and copies; and rows as stored, for "Export raw"."""
