"""Topics: the chip in the composer, the picker, the form of one topic."""
