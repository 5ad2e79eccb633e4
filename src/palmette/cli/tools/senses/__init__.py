"""The commands of `senses`."""
