"""Control planes: one protocol, and an adapter for each generation of the platform's API."""
