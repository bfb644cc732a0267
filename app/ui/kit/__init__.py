"""Small parts of the page that every region uses. They keep no data of the product."""
