"""fiel tells whether an AI agent got better or worse."""

__version__ = "0.1.0"
