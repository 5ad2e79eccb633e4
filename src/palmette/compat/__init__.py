"""The interfaces of other packages: change the import, keep the program."""
