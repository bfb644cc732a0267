"""Topics: the button in the composer, the picker of topics, and the form that changes one topic."""
