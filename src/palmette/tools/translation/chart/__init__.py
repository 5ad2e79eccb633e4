"""Translation by synchronous rules: search over a chart, its graphs, and the methods that use it."""
