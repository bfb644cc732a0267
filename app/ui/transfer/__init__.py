"""Export, import, shares and grants: the buttons in the title bar, their dialogs, and their pages."""
