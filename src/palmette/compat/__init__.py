"""Stand-ins for other packages: change the import, keep the program."""
