"""The finished site as PDF and as EPUB, from its pages as a browser shows them."""
