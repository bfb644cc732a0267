"""What every page has around its content: keys, news, a notice, the last Undo. No other region needs it."""
