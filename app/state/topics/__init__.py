"""Topics on the page: the topic chosen in the composer (`chosen.py`), and the picker with its form (`picker.py`)."""
