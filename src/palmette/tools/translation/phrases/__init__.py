"""Translation by phrases: the method `phrase`, its search and the graph of that search."""
