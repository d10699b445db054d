"""The test kit for rpcli and for plugins."""
