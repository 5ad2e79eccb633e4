"""Grammars that learn subclasses of their symbols: method `latent`."""
