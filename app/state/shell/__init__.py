"""The parts that every page has around its content: keys, menus, announcements, the notice, the viewer of pictures."""
