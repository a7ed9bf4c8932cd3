"""The finished site on paper and in e-readers: PDF and EPUB, from the pages as a browser shows them."""
