"""The filter bar, saved filters, the key sheet, and what stands where a filter leaves no pair."""
