"""The schemas of what the demo commands print."""
