"""The one error of the readers: a value that is not, or not beyond doubt, what was declared."""


class Unreadable(ValueError):
    """A value that cannot be read as a number, an amount or a date without guessing."""
