"""The request of a preview or a snapshot on the screen, and its changes since the last one."""
