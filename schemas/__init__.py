"""JSON Schemas of everything that rpcli prints; this file makes editable installs find them."""
