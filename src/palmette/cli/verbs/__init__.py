"""The verbs of the program `palmette`: each in a file of its own name."""
