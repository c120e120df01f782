"""Errors that name the parts involved."""


class IncompatiblePartsError(ValueError):
    """Two parts that cannot work together; the message names both and what is missing."""
