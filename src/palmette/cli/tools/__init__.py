"""The commands of each tool: thin wrappers of `palmette.tools`, one file per tool."""
