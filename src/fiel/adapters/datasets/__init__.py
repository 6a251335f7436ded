"""Datasets as files: JSONL with a TOML beside it, and the log of how often a holdout was used."""
