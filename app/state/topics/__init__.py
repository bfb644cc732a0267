"""Topics on the page: the one chosen in the composer (`chosen.py`), and the picker with its form (`picker.py`)."""
