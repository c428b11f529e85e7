"""Signals and images: functions of `scipy.signal` and `scipy.ndimage` that have the derivative of a program."""
