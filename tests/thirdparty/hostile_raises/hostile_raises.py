"""Raises at import what stevedore lets through."""

raise AssertionError("no plugin can be made here")
