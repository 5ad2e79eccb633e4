"""Labels for tokens: taggers, span taggers, induced taggers."""
