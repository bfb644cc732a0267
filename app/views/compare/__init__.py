"""Views of comparisons, for programs (`comparison`) and for the page (`compared`)."""
