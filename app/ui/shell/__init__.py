"""The parts of every page around its content: the keyboard and toasts. `app/ui/pages/frame.py` combines them."""
