"""Browser tabs: a tab's address, its visits of pages, its watcher, the order of its work, and checks of its input.

These modules have no vars that a page shows, and import no other package of `app/state`.
"""
