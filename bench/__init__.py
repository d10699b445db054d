"""Measurements: each figure is a ratio of two things measured in turn on one machine."""
