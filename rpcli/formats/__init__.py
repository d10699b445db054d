"""Formatters: the last step between a document and stdout."""
