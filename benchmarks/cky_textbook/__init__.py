"""CKY as it stands in textbooks, for a grammar with thousands of symbols: by left child, one rule at a time."""
