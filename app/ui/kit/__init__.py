"""Small parts of the page that all regions use. They read no state of the product."""
