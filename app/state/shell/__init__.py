"""The parts that every page has around its content: keys, menus, announcements, the notice, Undo with the keyboard."""
