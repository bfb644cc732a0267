"""The actions on one pair: marks, deletion, editing and answering again. The list of pairs is in `transcript.py`."""
