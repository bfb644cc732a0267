"""What every page has around its content: a notice and toasts."""
