"""The only place that reads fiel.toml and the environment, and that knows which adapter stands behind a port."""
