"""Deciding, apart from I/O: no socket, clock, environment, thread or logging in here."""
