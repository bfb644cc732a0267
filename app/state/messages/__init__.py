"""Messages to the person at the page: toasts, texts of errors, and reports that an action is done."""
