"""Networks in torch, and their training; what comes out runs without torch (`palmette.features.network`)."""
