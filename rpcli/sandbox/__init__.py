"""A RunPod control plane on loopback."""
