"""Frozen values and the rules about them: no input or output, no clock, no randomness, the standard library only."""
