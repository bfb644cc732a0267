"""The composer, called "message box" on the screen: the text area, its buttons, menus and dialogs, and the queue."""
