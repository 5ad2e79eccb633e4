// palmette_core
