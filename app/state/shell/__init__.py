"""The parts that every page has around its content: keys, announcements, a notice, the last Undo."""
