"""Schemas that a careless author wrote."""
