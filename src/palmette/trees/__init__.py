"""Trees: constituency trees, dependency trees, their shapes and counts."""
