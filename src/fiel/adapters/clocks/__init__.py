"""The time of the machine."""
