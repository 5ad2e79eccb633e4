"""Several parsers as one: method `combined`."""
