"""Parts that show, hide or frame other parts: dialogs, drawers, tooltips, boxes, parts that are loaded later."""
