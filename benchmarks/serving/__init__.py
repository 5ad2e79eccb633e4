"""Parts of `benchmarks.serve`: servers in processes of their own, a client with many connections, rough use."""
