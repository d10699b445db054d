"""Schemas of the output: where they are, their views, and validation."""
