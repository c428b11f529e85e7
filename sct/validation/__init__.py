"""Translation validation: Python itself is asked whether a function was read as it is."""

from sct.validation.validate import OFF, Validation, mode

__all__ = ["OFF", "Validation", "mode"]
