"""Parts that all pages share: the handling of keys, menus, toasts, the viewer of pictures."""
