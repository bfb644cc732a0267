"""The filter bar, saved filters, the sheet of keys, and the text that is shown if a filter selects no pair."""
