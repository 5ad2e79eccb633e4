"""Trees made into other trees before a grammar is read off them, and back."""
