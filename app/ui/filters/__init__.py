"""The filter bar, saved filters, the key sheet, and the text that is shown if a filter selects no pair."""
