"""Keys and the focus: groups with arrow keys, Escape, keys of forms, and actions between regions of the page."""
