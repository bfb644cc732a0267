"""What every page has around its content: the keyboard and toasts. How it is put together: `app/ui/pages/frame.py`."""
