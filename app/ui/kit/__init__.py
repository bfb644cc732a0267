"""Small parts of the page that every region uses. They hold no state of the product."""
