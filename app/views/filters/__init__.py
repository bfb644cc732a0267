"""Views of filters: saved filters, the history, the line and the chips of the filter bar."""
