"""Export, import, shares and grants: the state of their dialogs and pages."""
